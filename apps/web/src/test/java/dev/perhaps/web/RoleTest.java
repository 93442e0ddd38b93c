package dev.perhaps.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.api.Test;

class RoleTest {
    @Test
    void aCertificateNamesItsRolesAsUris() throws Exception {
        TestAuthority authority = new TestAuthority();
        assertThat(Role.of(authority.sign(Role.PEER).getCertificate())).containsExactly(Role.PEER);
        assertThat(Role.of(authority.sign(Role.CLIENT, Role.OPERATOR).getCertificate()))
                .containsExactlyInAnyOrder(Role.CLIENT, Role.OPERATOR);
        assertThat(Role.OPERATOR.uri()).isEqualTo("perhaps:operator");
    }

    @Test
    void otherNamesGiveNoRole() throws Exception {
        TestAuthority authority = new TestAuthority();
        assertThat(Role.of(authority.sign(certificate -> certificate).getCertificate()))
                .isEmpty();
        assertThat(Role.of(authority
                        .sign(certificate -> certificate
                                .addSanDnsName("perhaps.operator")
                                .addSanRfc822Name("perhaps:operator@example.org")
                                .addSanUriName(URI.create("perhaps:operators"))
                                .addSanUriName(URI.create("PERHAPS:peer"))
                                .addSanUriName(URI.create("perhaps:peer#1")))
                        .getCertificate()))
                .isEmpty();
        assertThat(Role.of(authority.root().getCertificate())).isEmpty();
    }
}
