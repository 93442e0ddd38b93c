package dev.perhaps.web;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.function.UnaryOperator;

/** An authority that signs certificates as the tests run, so that none can expire in the repository. */
final class TestAuthority {
    private final X509Bundle root;

    TestAuthority() throws Exception {
        root = new CertificateBuilder()
                .ecp256()
                .subject("CN=Test authority")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
    }

    /** A certificate for localhost and 127.0.0.1, valid now. */
    X509Bundle sign(UnaryOperator<CertificateBuilder> changes) throws Exception {
        return changes.apply(new CertificateBuilder()
                        .ecp256()
                        .subject("CN=test,OU=peer")
                        .notBefore(Instant.now().minus(Duration.ofHours(1)))
                        .notAfter(Instant.now().plus(Duration.ofDays(1)))
                        .addSanDnsName("localhost")
                        .addSanIpAddress("127.0.0.1"))
                .buildIssuedBy(root);
    }

    X509Bundle sign(Role... roles) throws Exception {
        return sign(certificate -> {
            for (Role role : roles) {
                certificate.addSanUriName(java.net.URI.create(role.uri()));
            }
            return certificate;
        });
    }

    X509Bundle root() {
        return root;
    }

    /** Writes a certificate and its key, and this authority, into a folder. */
    @CanIgnoreReturnValue
    TlsFiles write(Path folder, X509Bundle bundle) throws IOException {
        Files.createDirectories(folder);
        Path certificate = Files.writeString(folder.resolve("certificate.pem"), bundle.getCertificatePathPEM());
        Path authority = Files.writeString(folder.resolve("authority.pem"), root.getCertificatePEM());
        return new TlsFiles(certificate, writeKey(folder.resolve("key.pem"), bundle.getPrivateKeyPEM()), authority);
    }

    @CanIgnoreReturnValue
    static Path writeKey(Path file, String pem) throws IOException {
        Files.deleteIfExists(file);
        Files.createFile(
                file, PosixFilePermissions.asFileAttribute(Set.copyOf(PosixFilePermissions.fromString("rw-------"))));
        return Files.writeString(file, pem);
    }
}
