package io.thermocline.hotserver.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerLauncherTest {

    private static Map<String, String> environment(Map<String, String> own) {
        Map<String, String> environment = new HashMap<>(own);
        ServerLauncher.speakEnglish(environment);
        return environment;
    }

    @Test
    void theServersErrorsAreEnglishAndFileNamesKeepTheirEncoding() {
        assertThat(environment(Map.of("LC_ALL", "de_DE.UTF-8", "LANG", "fr_FR.UTF-8")))
                .containsOnly(
                        Map.entry("LC_CTYPE", "de_DE.UTF-8"),
                        Map.entry("LC_MESSAGES", "C"),
                        Map.entry("LANG", "fr_FR.UTF-8"));
        assertThat(environment(Map.of("LC_ALL", "", "LC_CTYPE", "de_DE.UTF-8")))
                .containsOnly(Map.entry("LC_CTYPE", "de_DE.UTF-8"), Map.entry("LC_MESSAGES", "C"));
        assertThat(environment(Map.of("LANG", "de_DE.UTF-8", "LC_MESSAGES", "de_DE.UTF-8")))
                .containsOnly(Map.entry("LANG", "de_DE.UTF-8"), Map.entry("LC_MESSAGES", "C"));
    }
}
