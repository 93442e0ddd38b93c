package dev.perhaps.web;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A signal of the operating system, such as SIGTERM, that a program listens to. Thread-safe. */
public final class ProcessSignal {
    /** Read your files again. */
    public static final ProcessSignal HUP = new ProcessSignal("HUP");

    /** Stop. A program that listens ends by itself, with the exit code that it chooses. */
    public static final ProcessSignal TERM = new ProcessSignal("TERM");

    private final String name;
    private final Set<Listening> listeners = ConcurrentHashMap.newKeySet();
    private boolean installed;

    private ProcessSignal(String name) {
        this.name = name;
    }

    /** One that listens, until it is closed. */
    public final class Listening implements AutoCloseable {
        private final Runnable action;

        private Listening(Runnable action) {
            this.action = action;
        }

        @Override
        public void close() {
            listeners.remove(this);
        }
    }

    /** Runs this whenever the signal comes; returns null where there is no such signal. */
    public @Nullable Listening listen(Runnable action) {
        if (!install()) {
            return null;
        }
        Listening listening = new Listening(action);
        listeners.add(listening);
        return listening;
    }

    /** By reflection: the class is in every JDK, but not in what Java promises to compile against. */
    private synchronized boolean install() {
        if (!installed) {
            try {
                Class<?> signal = Class.forName("sun.misc.Signal");
                Class<?> handler = Class.forName("sun.misc.SignalHandler");
                InvocationHandler heard = (proxy, method, arguments) -> {
                    if (method.getName().equals("handle")) {
                        listeners.forEach(listening -> listening.action.run());
                        return null;
                    }
                    return switch (method.getName()) {
                        case "hashCode" -> System.identityHashCode(proxy);
                        case "equals" -> arguments != null && proxy == arguments[0];
                        default -> "SIG" + name;
                    };
                };
                Object to =
                        Proxy.newProxyInstance(ProcessSignal.class.getClassLoader(), new Class<?>[] {handler}, heard);
                Object number = signal.getConstructor(String.class).newInstance(name);
                signal.getMethod("handle", signal, handler).invoke(null, number, to);
                installed = true;
            } catch (ReflectiveOperationException e) {
                return false; // no such signal here, or the virtual machine keeps it to itself (-Xrs)
            }
        }
        return true;
    }
}
