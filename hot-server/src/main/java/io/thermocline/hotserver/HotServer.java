package io.thermocline.hotserver;

import io.thermocline.hotserver.launch.ServerCommand;
import io.thermocline.hotserver.launch.ServerFailure;
import io.thermocline.hotstore.HotStoreException;
import java.io.PrintStream;
import java.util.Optional;

/**
 * Main class of the server process. Ends with 0 when the server ended in good order or another one
 * holds the directory, and with 1 and one line on standard error when it could not start.
 */
public final class HotServer {

    private HotServer() {}

    /** Arguments: {@link ServerCommand#USAGE}. */
    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    static int run(String[] arguments) {
        // the log is redirected later; the launcher reads this one
        PrintStream launcher = System.err;
        try {
            Optional<ServerProcess> server = ServerProcess.start(ServerCommand.parse(arguments));
            if (server.isPresent()) {
                launcher.println(server.get().describe());
                server.get().awaitEnd();
            }
            return 0;
        } catch (HotStoreException e) {
            launcher.println(ServerFailure.line(e));
            return 1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 1;
        }
    }
}
