package io.thermocline.lake.iceberg;

import java.net.URL;
import java.net.URLClassLoader;

/** Loads this binding's classes anew and does not find those of one package. */
final class HidingClassLoader extends URLClassLoader {

    private final String hidden;

    HidingClassLoader(String hidden) {
        super(
                new URL[] {
                    IcebergLakeBinding.class.getProtectionDomain().getCodeSource().getLocation()
                },
                HidingClassLoader.class.getClassLoader());
        this.hidden = hidden;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (name.startsWith(hidden)) {
            throw new ClassNotFoundException(name);
        }
        if (name.startsWith(IcebergLakeBinding.class.getPackageName() + ".")) {
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? findClass(name) : loaded;
            }
        }
        return super.loadClass(name, resolve);
    }
}
