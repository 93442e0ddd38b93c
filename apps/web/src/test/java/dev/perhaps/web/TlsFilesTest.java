package dev.perhaps.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that cannot be used are refused with one line that names the file and the reason. */
class TlsFilesTest {
    @TempDir
    Path folder;

    private TestAuthority authority;
    private TlsFiles files;

    @BeforeEach
    void write() throws Exception {
        authority = new TestAuthority();
        files = authority.write(folder, authority.sign(Role.PEER));
    }

    @Test
    void goodFilesAreRead() throws Exception {
        TlsFiles.Contents contents = files.read(true, Instant.now());
        assertThat(contents.chain()).hasSize(1);
        assertThat(contents.key().getAlgorithm()).isEqualTo("EC");
        assertThat(contents.authorities()).hasSize(1);

        X509Bundle rsa = authority.sign(certificate -> certificate.rsa2048());
        assertThat(authority.write(folder, rsa).read(true, Instant.now()).key().getAlgorithm())
                .isEqualTo("RSA");
    }

    @Test
    void anExpiredCertificateIsRefused() throws Exception {
        Instant now = Instant.now();
        X509Bundle expired = authority.sign(certificate ->
                certificate.notBefore(now.minus(Duration.ofDays(2))).notAfter(now.minus(Duration.ofDays(1))));
        refused(authority.write(folder, expired), "certificate.pem: the certificate of CN=test,OU=peer expired on ");
        refused(files, now.minus(Duration.ofDays(3)), " is valid from ");
    }

    @Test
    void aKeyOfAnotherCertificateIsRefused() throws Exception {
        TestAuthority.writeKey(files.key(), authority.sign(Role.PEER).getPrivateKeyPEM());
        refused(files, "key.pem: this is not the key of the certificate in ");
        TestAuthority.writeKey(
                files.key(),
                authority.sign(certificate -> certificate.rsa2048()).getPrivateKeyPEM());
        refused(files, "key.pem: this is not the key of the certificate in ");
    }

    @Test
    void anEncryptedKeyIsRefused() throws Exception {
        TestAuthority.writeKey(
                files.key(),
                Files.readString(files.key())
                        .replace("BEGIN PRIVATE", "BEGIN ENCRYPTED PRIVATE")
                        .replace("END PRIVATE", "END ENCRYPTED PRIVATE"));
        refused(files, "key.pem: the key is encrypted: write it without a passphrase, openssl pkcs8");
        TestAuthority.writeKey(files.key(), """
                -----BEGIN RSA PRIVATE KEY-----
                Proc-Type: 4,ENCRYPTED
                DEK-Info: AES-256-CBC,00

                AAAA
                -----END RSA PRIVATE KEY-----
                """);
        refused(files, "key.pem: the key is encrypted");
    }

    @Test
    void aKeyOfAnOlderFormatIsRefused() throws Exception {
        TestAuthority.writeKey(files.key(), "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n");
        refused(files, "key.pem: the key is in an older format than PKCS#8: convert it, openssl pkcs8");
    }

    @Test
    void aKeyThatEverybodyCanReadIsRefused() throws Exception {
        Files.setPosixFilePermissions(files.key(), PosixFilePermissions.fromString("rw-r--r--"));
        refused(files, "key.pem: everybody can read or write this key: chmod 600 key.pem");
        Files.setPosixFilePermissions(files.key(), PosixFilePermissions.fromString("rw-r-----"));
        assertThat(files.read(true, Instant.now()).chain()).hasSize(1);
    }

    @Test
    void filesThatAreMissingEmptyOrDamagedAreRefused() throws Exception {
        String pem = Files.readString(files.certificate());
        Files.writeString(files.certificate(), "");
        refused(files, "certificate.pem: no certificate in it");
        Files.writeString(files.certificate(), pem.substring(0, 200) + pem.substring(300));
        refused(files, "certificate.pem: a certificate in it cannot be read");
        Files.write(files.certificate(), new byte[(1 << 20) + 1]);
        refused(files, "certificate.pem: a PEM file has at most 1048576 bytes, this one 1048577");
        Files.delete(files.certificate());
        refused(files, "certificate.pem: no such file");
        Files.createDirectory(files.certificate());
        refused(files, "certificate.pem: not a file");
        Files.delete(files.certificate());
        Files.writeString(files.certificate(), pem);
        TestAuthority.writeKey(files.key(), pem);
        refused(files, "key.pem: no private key in it");
        TestAuthority.writeKey(files.key(), "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
        refused(files, "key.pem: the key cannot be read");
    }

    @Test
    void aCertificateOfAnotherAuthorityIsRefusedWhereBothEndsShareOne() throws Exception {
        Files.writeString(files.authority(), new TestAuthority().root().getCertificatePEM());
        refused(files, "certificate.pem: the certificate of CN=test,OU=peer is not signed by an authority in ");
        assertThat(files.read(false, Instant.now()).chain()).hasSize(1);
    }

    private static void refused(TlsFiles files, String why) {
        refused(files, Instant.now(), why);
    }

    private static void refused(TlsFiles files, Instant now, String why) {
        assertThatThrownBy(() -> files.read(true, now))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(why)
                .message()
                .doesNotContain("\n");
    }
}
