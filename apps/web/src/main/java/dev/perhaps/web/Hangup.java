package dev.perhaps.web;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** SIGHUP, by which whoever runs a program asks it to read its files again. Thread-safe. */
final class Hangup {
    private static final Set<Listening> LISTENING = ConcurrentHashMap.newKeySet();
    private static boolean installed;

    private Hangup() {}

    /** One that listens, until it is closed. */
    record Listening(Runnable action, Object identity) implements AutoCloseable {
        @Override
        public void close() {
            LISTENING.remove(this);
        }
    }

    /** Returns null where there is no such signal. */
    static @Nullable Listening listen(Runnable action) {
        if (!install()) {
            return null;
        }
        Listening listening = new Listening(action, new Object());
        LISTENING.add(listening);
        return listening;
    }

    /** By reflection: the class is in every JDK, but not in what Java promises to compile against. */
    private static synchronized boolean install() {
        if (!installed) {
            try {
                Class<?> signal = Class.forName("sun.misc.Signal");
                Class<?> handler = Class.forName("sun.misc.SignalHandler");
                InvocationHandler heard = (proxy, method, arguments) -> {
                    if (method.getName().equals("handle")) {
                        LISTENING.forEach(listening -> listening.action.run());
                        return null;
                    }
                    return switch (method.getName()) {
                        case "hashCode" -> System.identityHashCode(proxy);
                        case "equals" -> arguments != null && proxy == arguments[0];
                        default -> "SIGHUP";
                    };
                };
                Object to = Proxy.newProxyInstance(Hangup.class.getClassLoader(), new Class<?>[] {handler}, heard);
                Object hup = signal.getConstructor(String.class).newInstance("HUP");
                signal.getMethod("handle", signal, handler).invoke(null, hup, to);
                installed = true;
            } catch (ReflectiveOperationException e) {
                return false; // no such signal here, or the virtual machine keeps it to itself (-Xrs)
            }
        }
        return true;
    }
}
