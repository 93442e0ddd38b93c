package dev.perhaps.cli;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;

/** An authority in a folder, and the PEM files it signs there. Made as the tests run, so that none expires. */
public final class Certificates {
    private final Path folder;
    public final X509Bundle authority;

    public Certificates(Path folder) throws Exception {
        this.folder = folder;
        authority = new CertificateBuilder()
                .ecp256()
                .subject("CN=Test authority")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        Files.writeString(folder.resolve("ca.pem"), authority.getCertificatePEM());
    }

    public String authorityFile() {
        return folder.resolve("ca.pem").toString();
    }

    /** Writes NAME.pem and NAME.key, for 127.0.0.1 and localhost, with these URIs as further names, valid until then; returns both. */
    public X509Bundle write(String name, Duration valid, String... uris) throws Exception {
        CertificateBuilder certificate = new CertificateBuilder()
                .ecp256()
                .subject("CN=" + name)
                .notBefore(Instant.now().minus(Duration.ofDays(30)))
                .notAfter(Instant.now().plus(valid))
                .addSanDnsName("localhost")
                .addSanIpAddress("127.0.0.1");
        for (String uri : uris) {
            certificate.addSanUriName(URI.create(uri));
        }
        X509Bundle bundle = certificate.buildIssuedBy(authority);
        Files.writeString(folder.resolve(name + ".pem"), bundle.getCertificatePathPEM());
        writeKey(folder.resolve(name + ".key"), bundle.getPrivateKeyPEM());
        return bundle;
    }

    private static void writeKey(Path file, String pem) throws IOException {
        Files.deleteIfExists(file);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, pem);
    }
}
