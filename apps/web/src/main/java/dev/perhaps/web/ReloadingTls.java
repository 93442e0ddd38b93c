package dev.perhaps.web;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.netty.channel.Channel;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.netty.util.ReferenceCountUtil;
import java.io.Closeable;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * TLS 1.2 and 1.3 from PEM files, for the connections that a program accepts and for those it makes. New connections
 * use the current files: a change is noticed within seconds, or at once by {@link #reload}, which SIGHUP calls too.
 * Files that cannot be used (expired, damaged, a key of another certificate) are refused with one line, and the files
 * in use stay in use.
 *
 * <pre>{@code
 * ReloadingTls tls = ReloadingTls.of(new TlsFiles(certificate, key, authority)).mutual().open(System.err::println);
 * channel.pipeline().addLast(tls.accepting(channel));                        // or tls.connecting(channel, host, port)
 * Set<Role> roles = Role.of(ReloadingTls.certificate(sslHandler));           // after the handshake
 * }</pre>
 *
 * Thread-safe.
 */
public final class ReloadingTls implements Closeable {
    /*
     * BoringSSL does the work where its native library loads, Java's own TLS elsewhere. Sessions are resumed, by
     * tickets and by the server's cache, for an hour at most: for that time a client whose certificate is no longer
     * valid can come back. New files are a new context, with new ticket keys: nobody resumes a session that the old
     * authority vouched for.
     *
     * A certificate and its key are two files, and a renewal writes one after the other. A change is looked at when it
     * has stayed the same between two looks, so that the moment between is not reported as a key of another
     * certificate. Files that are refused are not looked at again until they change, except for a certificate that is
     * not valid yet, from an authority whose clock is ahead: it is used as soon as it is valid.
     */
    private static final int POLL_SECONDS = 3;
    private static final long SESSION_SECONDS = 3_600;
    private static final long MAX_SESSIONS = 20_000;
    private static final long HANDSHAKE_MILLIS = 10_000;
    private static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");
    private static final List<String> CIPHERS = List.of(
            "TLS_AES_128_GCM_SHA256",
            "TLS_AES_256_GCM_SHA384",
            "TLS_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");
    private static final AtomicBoolean EXPLAINED = new AtomicBoolean();

    private final Plan plan;
    private final Consumer<String> log;
    private final boolean forNetty;
    private final ScheduledExecutorService poller;
    private final ProcessSignal.@Nullable Listening hangup;
    private Contexts contexts;
    private String used;
    private String seen;
    private String told = "";

    @SuppressWarnings("FutureReturnValueIgnored") // it goes on until it is closed
    private ReloadingTls(Plan plan, Consumer<String> log, boolean forNetty, boolean watch) throws IOException {
        this.plan = plan;
        this.log = log;
        this.forNetty = forNetty;
        this.used = plan.files.state();
        this.seen = used;
        this.contexts = build();
        if (forNetty && !OpenSsl.isAvailable() && !EXPLAINED.getAndSet(true)) {
            log.accept("TLS by Java's own implementation, which is slower: the native library does not load: "
                    + String.valueOf(OpenSsl.unavailabilityCause().getMessage())
                            .lines()
                            .findFirst()
                            .orElse(""));
        }
        this.poller = Executors.newSingleThreadScheduledExecutor(OutOfMemoryGuard.threads("tls-files"));
        if (watch) {
            Runnable look = OutOfMemoryGuard.guard(this::poll);
            this.poller.scheduleWithFixedDelay(look, POLL_SECONDS, POLL_SECONDS, TimeUnit.SECONDS);
        }
        this.hangup = watch ? ProcessSignal.HUP.listen(this::reload) : null;
    }

    /** For connections of Netty's, and for sockets. Without the first two where nothing is watched: they take time to make. */
    private record Contexts(
            @Nullable SslContext server, @Nullable SslContext client, SSLContext sockets) {}

    /** Plans TLS from these files, for which the other end needs no certificate. */
    public static Plan of(TlsFiles files) {
        return new Plan(files, ClientAuth.NONE, false, List.of(), true);
    }

    /** What TLS is to be like. Immutable. */
    public static final class Plan {
        private final TlsFiles files;
        private final ClientAuth clients;
        private final boolean mutual;
        private final List<String> applications;
        private final boolean allowNative;

        private Plan(
                TlsFiles files, ClientAuth clients, boolean mutual, List<String> applications, boolean allowNative) {
            this.files = files;
            this.clients = clients;
            this.mutual = mutual;
            this.applications = applications;
            this.allowNative = allowNative;
        }

        /** Both ends have a certificate that is signed by the authority, this one too. */
        public Plan mutual() {
            return new Plan(needsAuthority(), ClientAuth.REQUIRE, true, applications, allowNative);
        }

        /** Who connects must have a certificate signed by the authority. */
        public Plan clientsRequired() {
            return new Plan(needsAuthority(), ClientAuth.REQUIRE, mutual, applications, allowNative);
        }

        /** Who connects may have a certificate signed by the authority, and is refused with another one. */
        public Plan clientsOptional() {
            return new Plan(needsAuthority(), ClientAuth.OPTIONAL, mutual, applications, allowNative);
        }

        /** Offers these protocols (ALPN), the preferred one first. */
        public Plan applications(String... names) {
            return new Plan(files, clients, mutual, List.of(names), allowNative);
        }

        /** Java's own TLS, even where the native library loads. */
        Plan withoutNativeLibrary() {
            return new Plan(files, clients, mutual, applications, false);
        }

        private boolean nativeLibrary() {
            return allowNative && OpenSsl.isAvailable();
        }

        private TlsFiles needsAuthority() {
            if (files.authority() == null) {
                throw new IllegalArgumentException("certificates of others are checked with an authority, got none");
            }
            return files;
        }

        /**
         * Reads the files and begins to watch them.
         *
         * @param log hears one line for each change of the files, and for each that is refused
         * @throws IOException with one line that names the file and what is wrong with it
         */
        public ReloadingTls open(Consumer<String> log) throws IOException {
            return new ReloadingTls(this, log, true, true);
        }

        /**
         * Reads the files once, for a program that ends soon and has {@linkplain ReloadingTls#over sockets} only.
         *
         * @throws IOException with one line that names the file and what is wrong with it
         */
        public ReloadingTls openOnce() throws IOException {
            return new ReloadingTls(this, line -> {}, false, false);
        }

        /** Opens it without watching the files: they are reloaded on request only. */
        ReloadingTls openUnwatched(Consumer<String> log) throws IOException {
            return new ReloadingTls(this, log, true, false);
        }
    }

    /** Returns the handler for an incoming connection. */
    public synchronized SslHandler accepting(Channel channel) {
        return timed(Objects.requireNonNull(contexts.server).newHandler(channel.alloc()));
    }

    /** For a connection to this host, whose certificate must be valid for that name or address. */
    public synchronized SslHandler connecting(Channel channel, String host, int port) {
        return timed(Objects.requireNonNull(contexts.client).newHandler(channel.alloc(), host, port));
    }

    /** TLS over a socket that is connected to this host, whose certificate must be valid for that name or address. */
    public SSLSocket over(Socket connected, String host, int port) throws IOException {
        SSLContext context;
        synchronized (this) {
            context = contexts.sockets;
        }
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(connected, host, port, true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setProtocols(PROTOCOLS.toArray(String[]::new));
        socket.setSSLParameters(parameters);
        return socket;
    }

    /** For clients of Java's own that check the name of the host themselves; another one whenever the files were read again. */
    public synchronized SSLContext context() {
        return contexts.sockets;
    }

    private static SslHandler timed(SslHandler handler) {
        handler.setHandshakeTimeoutMillis(HANDSHAKE_MILLIS);
        return handler;
    }

    /** Returns the verified certificate of the other end after the handshake; null if it has none. */
    public static @Nullable X509Certificate certificate(SslHandler handler) {
        return certificate(handler.engine().getSession());
    }

    /** Returns the verified certificate of the other end after the handshake; null if it has none. */
    public static @Nullable X509Certificate certificate(SSLSession session) {
        try {
            Certificate[] chain = session.getPeerCertificates();
            return chain.length > 0 && chain[0] instanceof X509Certificate first ? first : null;
        } catch (SSLPeerUnverifiedException e) {
            return null;
        }
    }

    /**
     * Returns why TLS with another program failed, for a log; null if it was not TLS that failed. What a program sent
     * that does not speak TLS is left out: it may be a password.
     */
    public static @Nullable String failure(Throwable cause) {
        Throwable tls = cause instanceof SSLException ? cause : cause.getCause();
        if (tls instanceof NotSslRecordException) {
            return "what was received is not TLS";
        }
        return tls instanceof SSLException ? String.valueOf(tls.getMessage()) : null;
    }

    /** Uses the files as they are now, and says so in the log; if they cannot be used, what is in use stays. */
    @CanIgnoreReturnValue
    public synchronized boolean reload() {
        String state = plan.files.state();
        seen = state;
        used = state; // also if it is refused: once is enough, until it changes
        try {
            Contexts fresh = build();
            Contexts old = contexts;
            contexts = fresh;
            release(old);
            told = "";
            log.accept("TLS: reloaded " + plan.files.certificate());
            return true;
        } catch (IOException e) {
            boolean isEarly = e.getCause() instanceof CertificateNotYetValidException;
            String line = "TLS: not reloaded, what was in use stays in use: " + e.getMessage();
            if (!isEarly || !line.equals(told)) {
                log.accept(line);
            }
            told = line;
            used = isEarly ? "" : used;
            return false;
        }
    }

    /** Looks whether the files changed. */
    synchronized void poll() {
        String state = plan.files.state();
        if (!state.equals(used) && state.equals(seen)) {
            reload();
        }
        seen = state;
    }

    private Contexts build() throws IOException {
        TlsFiles.Contents contents = plan.files.read(plan.mutual, Instant.now());
        SslContext server = null;
        SslContext client = null;
        boolean built = false;
        try {
            SSLContext sockets = contents.context();
            if (forNetty) {
                server = common(SslContextBuilder.forServer(contents.key(), contents.chain()), contents)
                        .clientAuth(plan.clients)
                        .build();
                client = common(SslContextBuilder.forClient().keyManager(contents.key(), contents.chain()), contents)
                        .endpointIdentificationAlgorithm("HTTPS")
                        .build();
            }
            built = true;
            return new Contexts(server, client, sockets);
        } catch (SSLException | GeneralSecurityException | IllegalArgumentException e) {
            // a key too weak for it, a curve it does not know
            throw new IOException(plan.files.certificate() + ": TLS cannot use it: " + e.getMessage(), e);
        } finally {
            if (!built) {
                ReferenceCountUtil.release(server);
            }
        }
    }

    private SslContextBuilder common(SslContextBuilder builder, TlsFiles.Contents contents) {
        builder.sslProvider(plan.nativeLibrary() ? SslProvider.OPENSSL_REFCNT : SslProvider.JDK)
                .protocols(PROTOCOLS)
                .ciphers(CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
                .sessionCacheSize(MAX_SESSIONS)
                .sessionTimeout(SESSION_SECONDS);
        if (contents.authorities() != null) {
            builder.trustManager(contents.authorities());
        }
        if (!plan.applications.isEmpty()) {
            builder.applicationProtocolConfig(new ApplicationProtocolConfig(
                    ApplicationProtocolConfig.Protocol.ALPN,
                    ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                    ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                    plan.applications));
        }
        return builder;
    }

    private static void release(Contexts old) {
        // Connections hold it as long as they need it.
        ReferenceCountUtil.release(old.server);
        ReferenceCountUtil.release(old.client);
    }

    /** Stops watching the files. Connections go on. */
    @Override
    public void close() {
        if (hangup != null) {
            hangup.close();
        }
        poller.shutdownNow();
    }
}
