package io.thermocline.hotserver.launch;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The line by which a server that cannot start tells its launcher why. */
public final class ServerFailure {

    private static final Pattern FORM = Pattern.compile("(?m)^TC-(\\d+) (?:[A-Z_]+: )?(.*)$");

    private ServerFailure() {}

    public static String line(HotStoreException failure) {
        return "TC-"
                + failure.code().number()
                + " "
                + failure.getMessage().replace('\n', ' ').replace('\r', ' ');
    }

    static Optional<HotStoreException> read(String output) {
        Matcher form = FORM.matcher(output);
        return form.find()
                ? Optional.of(
                        new HotStoreException(
                                ErrorCode.ofNumber(Integer.parseInt(form.group(1))), form.group(2)))
                : Optional.empty();
    }
}
