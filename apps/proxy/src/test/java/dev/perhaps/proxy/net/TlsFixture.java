package dev.perhaps.proxy.net;

import dev.perhaps.web.ReloadingTls;
import dev.perhaps.web.TlsFiles;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;

/** An authority, the certificate of a proxy on this machine, and clients that trust it. */
final class TlsFixture {
    final X509Bundle authority;
    final TlsFiles files;
    private final Path folder;

    TlsFixture(Path folder) throws Exception {
        this.folder = folder;
        authority = new CertificateBuilder()
                .ecp256()
                .subject("CN=Test authority")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        Path authorityFile = Files.writeString(folder.resolve("authority.pem"), authority.getCertificatePEM());
        files = new TlsFiles(folder.resolve("certificate.pem"), folder.resolve("key.pem"), authorityFile);
        write("proxy");
    }

    /** Writes a new certificate of this name into the proxy's files. */
    void write(String name) throws Exception {
        X509Bundle bundle = sign(name);
        Files.writeString(files.certificate(), bundle.getCertificatePathPEM());
        writeKey(files.key(), bundle);
    }

    X509Bundle sign(String name) throws Exception {
        return new CertificateBuilder()
                .ecp256()
                .subject("CN=" + name)
                .notBefore(Instant.now().minus(Duration.ofHours(1)))
                .notAfter(Instant.now().plus(Duration.ofDays(1)))
                .addSanDnsName("localhost")
                .addSanIpAddress("127.0.0.1")
                .buildIssuedBy(authority);
    }

    static void writeKey(Path file, X509Bundle bundle) throws IOException {
        Files.deleteIfExists(file);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, bundle.getPrivateKeyPEM());
    }

    ProxyPlan in(ProxyPlan plan) {
        return in(plan, ReloadingTls.of(files));
    }

    ProxyPlan in(ProxyPlan plan, ReloadingTls.Plan tls) {
        try {
            return plan.tls(tls, line -> {});
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Java's client, which trusts the authority. */
    HttpClient client(HttpClient.Version version, KeyManager... identity) throws Exception {
        return HttpClient.newBuilder()
                .sslContext(context(identity))
                .version(version)
                .build();
    }

    /** Trusts the authority. */
    SSLContext context(KeyManager... identity) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(identity, new TrustManager[] {authority.toTrustManager()}, null);
        return context;
    }

    /** A connection on which HTTP/2 was agreed, for bytes of any kind; it takes in little. */
    SSLSocket rawHttp2(InetSocketAddress to) throws Exception {
        SSLSocket socket = (SSLSocket) context().getSocketFactory().createSocket();
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {"h2"});
        socket.setSSLParameters(parameters);
        socket.setReceiveBufferSize(4_096);
        socket.connect(to);
        socket.startHandshake();
        return socket;
    }

    Path folder() {
        return folder;
    }
}
