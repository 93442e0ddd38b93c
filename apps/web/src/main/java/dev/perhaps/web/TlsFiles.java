package dev.perhaps.web;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.security.interfaces.RSAKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * The PEM files of one end of TLS.
 *
 * @param certificate the certificate, followed by its chain
 * @param key its private key: PKCS#8, RSA or EC, not encrypted, readable by its owner and group only
 * @param authority the authorities that may sign the certificate of the other end; null if the other end needs none, or
 *     one that Java trusts
 */
public record TlsFiles(Path certificate, Path key, @Nullable Path authority) {
    private static final int MAX_FILE_BYTES = 1 << 20;
    private static final int MIN_RSA_BITS = 2048;
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]{1,40})-----([A-Za-z0-9+/=\\s]*+)-----END \\1-----");

    /** What is in the files. */
    record Contents(
            PrivateKey key,
            List<X509Certificate> chain,
            @Nullable List<X509Certificate> authorities) {
        private static final char[] IN_MEMORY = "in memory only".toCharArray();

        /** For Java's own sockets. */
        SSLContext context() throws GeneralSecurityException, IOException {
            KeyStore own = KeyStore.getInstance("PKCS12");
            own.load(null, null);
            own.setKeyEntry("own", key, IN_MEMORY, chain.toArray(X509Certificate[]::new));
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(own, IN_MEMORY);
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            KeyStore others = null; // those that Java trusts
            if (authorities != null) {
                others = KeyStore.getInstance("PKCS12");
                others.load(null, null);
                for (int i = 0; i < authorities.size(); i++) {
                    others.setCertificateEntry("authority" + i, authorities.get(i));
                }
            }
            trust.init(others);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        }
    }

    /** Changes whenever one of the files does. */
    String state() {
        StringBuilder state = new StringBuilder();
        for (Path file : authority == null ? List.of(certificate, key) : List.of(certificate, key, authority)) {
            try {
                BasicFileAttributes is = Files.readAttributes(file, BasicFileAttributes.class);
                state.append(is.fileKey())
                        .append(' ')
                        .append(is.lastModifiedTime())
                        .append(' ')
                        .append(is.size());
            } catch (IOException e) {
                state.append("unreadable");
            }
            state.append('\n');
        }
        return state.toString();
    }

    /**
     * Reads and checks them: the key is the certificate's, and nothing has expired.
     *
     * @param mutual also that the certificate is signed by the authority, as that of the other end has to be
     * @throws IOException with one line that names the file and what is wrong with it
     */
    Contents read(boolean mutual, Instant now) throws IOException {
        List<X509Certificate> chain = certificates(certificate);
        for (X509Certificate one : chain) {
            checkDates(certificate, one, now);
        }
        PrivateKey secret = privateKey();
        checkPair(secret, chain.get(0).getPublicKey());
        List<X509Certificate> authorities = null;
        if (authority != null) {
            authorities = certificates(authority);
            for (X509Certificate one : authorities) {
                checkDates(authority, one, now);
            }
            if (mutual) {
                checkSigned(chain, authorities, now);
            }
        }
        return new Contents(secret, chain, authorities);
    }

    private static List<X509Certificate> certificates(Path file) throws IOException {
        List<X509Certificate> found = new ArrayList<>();
        Matcher block = BLOCK.matcher(text(file));
        while (block.find()) {
            if (block.group(1).equals("CERTIFICATE")) {
                found.add(certificate(file, block.group(2)));
            }
        }
        if (found.isEmpty()) {
            throw new IOException(file + ": no certificate in it: a PEM file has -----BEGIN CERTIFICATE-----");
        }
        return List.copyOf(found);
    }

    private static X509Certificate certificate(Path file, String base64) throws IOException {
        try {
            return (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(bytes(file, base64)));
        } catch (CertificateException e) {
            throw new IOException(file + ": a certificate in it cannot be read: " + e.getMessage(), e);
        }
    }

    private static void checkDates(Path file, X509Certificate one, Instant now) throws IOException {
        try {
            one.checkValidity(Date.from(now));
        } catch (CertificateExpiredException e) {
            throw new IOException(
                    file + ": the certificate of " + name(one) + " expired on "
                            + one.getNotAfter().toInstant(),
                    e);
        } catch (CertificateNotYetValidException e) {
            throw new IOException(
                    file + ": the certificate of " + name(one) + " is valid from "
                            + one.getNotBefore().toInstant() + " only",
                    e);
        }
    }

    private PrivateKey privateKey() throws IOException {
        checkPrivate();
        String text = text(key);
        Matcher block = BLOCK.matcher(text);
        while (block.find()) {
            String kind = block.group(1);
            switch (kind) {
                case "PRIVATE KEY" -> {
                    return privateKey(bytes(key, block.group(2)));
                }
                case "ENCRYPTED PRIVATE KEY" -> throw encrypted();
                case "RSA PRIVATE KEY", "EC PRIVATE KEY" ->
                    throw new IOException(key + ": the key is in an older format than PKCS#8: convert it,"
                            + " openssl pkcs8 -topk8 -nocrypt -in " + key.getFileName() + " -out pkcs8.pem");
                default -> {
                    // parameters of the key, or its certificate beside it
                }
            }
        }
        if (text.contains("Proc-Type: 4,ENCRYPTED")) {
            throw encrypted(); // the older format again
        }
        throw new IOException(key + ": no private key in it: a PEM file has -----BEGIN PRIVATE KEY-----");
    }

    private IOException encrypted() {
        return new IOException(key + ": the key is encrypted: write it without a passphrase,"
                + " openssl pkcs8 -topk8 -nocrypt -in " + key.getFileName() + " -out plain.pem");
    }

    private PrivateKey privateKey(byte[] der) throws IOException {
        for (String algorithm : List.of("EC", "RSA")) {
            try {
                PrivateKey secret =
                        KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der, algorithm));
                if (secret instanceof RSAKey rsa && rsa.getModulus().bitLength() < MIN_RSA_BITS) {
                    throw new IOException(key + ": the key has "
                            + rsa.getModulus().bitLength() + " bits: RSA takes at least " + MIN_RSA_BITS);
                }
                return secret;
            } catch (InvalidKeySpecException e) {
                // the other algorithm, perhaps
            } catch (GeneralSecurityException e) {
                throw new IOException(key + ": the key cannot be read: " + e.getMessage(), e);
            }
        }
        throw new IOException(key + ": the key cannot be read: it is neither an RSA nor an EC key, or it is damaged");
    }

    /** Refuses a key that other users can read. */
    private void checkPrivate() throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(key, PosixFileAttributeView.class);
        if (view == null || !Files.exists(key)) {
            return;
        }
        Set<PosixFilePermission> permissions = view.readAttributes().permissions();
        if (permissions.contains(PosixFilePermission.OTHERS_READ)
                || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new IOException(key + ": everybody can read or write this key: chmod 600 " + key.getFileName());
        }
    }

    private void checkPair(PrivateKey secret, PublicKey open) throws IOException {
        boolean same;
        try {
            Signature signature =
                    Signature.getInstance(secret.getAlgorithm().equals("EC") ? "SHA256withECDSA" : "SHA256withRSA");
            byte[] probe = "one pair".getBytes(StandardCharsets.US_ASCII);
            signature.initSign(secret);
            signature.update(probe);
            byte[] signed = signature.sign();
            signature.initVerify(open);
            signature.update(probe);
            same = signature.verify(signed);
        } catch (GeneralSecurityException e) {
            same = false;
        }
        if (!same) {
            throw new IOException(key + ": this is not the key of the certificate in " + certificate);
        }
    }

    private void checkSigned(List<X509Certificate> chain, List<X509Certificate> authorities, Instant now)
            throws IOException {
        Set<X509Certificate> trusted = new HashSet<>(authorities);
        Set<TrustAnchor> anchors = new HashSet<>();
        trusted.forEach(one -> anchors.add(new TrustAnchor(one, null)));
        List<X509Certificate> path = new ArrayList<>(chain);
        path.removeIf(one -> trusted.contains(one)); // an anchor is not part of the path to it
        if (path.isEmpty()) {
            return;
        }
        try {
            PKIXParameters parameters = new PKIXParameters(anchors);
            parameters.setRevocationEnabled(false);
            parameters.setDate(Date.from(now));
            CertPathValidator.getInstance("PKIX")
                    .validate(CertificateFactory.getInstance("X.509").generateCertPath(path), parameters);
        } catch (GeneralSecurityException e) {
            throw new IOException(
                    certificate + ": the certificate of " + name(chain.get(0)) + " is not signed by an authority in "
                            + Objects.requireNonNull(authority),
                    e);
        }
    }

    private static String name(X509Certificate one) {
        return one.getSubjectX500Principal().getName();
    }

    private static byte[] bytes(Path file, String base64) throws IOException {
        try {
            return Base64.getMimeDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new IOException(file + ": it is damaged: " + e.getMessage(), e);
        }
    }

    private static String text(Path file) throws IOException {
        try {
            if (!Files.isRegularFile(file) && Files.exists(file)) {
                throw new IOException(file + ": not a file");
            }
            if (Files.size(file) > MAX_FILE_BYTES) {
                throw new IOException(
                        file + ": a PEM file has at most " + MAX_FILE_BYTES + " bytes, this one " + Files.size(file));
            }
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            throw new IOException(file + ": no such file", e);
        } catch (AccessDeniedException e) {
            throw new IOException(file + ": it cannot be read: permission denied", e);
        }
    }
}
