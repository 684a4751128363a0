//! The certificates of one control plane: a CA, the API server's, those of its first clients, and the
//! pair that signs tokens of service accounts.

use std::{
    fs,
    net::IpAddr,
    path::{Path, PathBuf},
};

use anyhow::Context;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose,
};

/// The names under which pods would call the API server; clients of tests call its address.
const NAMES: [&str; 5] = [
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
];

/// A certificate and its key, as PEM.
#[derive(Clone)]
pub struct Pair {
    /// The certificate.
    pub certificate: String,
    /// Its private key.
    pub key: String,
}

impl std::fmt::Debug for Pair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pair")
    }
}

/// A certificate authority that lives in memory.
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

impl std::fmt::Debug for Authority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Authority")
    }
}

impl Authority {
    /// A new one.
    ///
    /// # Errors
    /// Those of the cryptography library.
    pub fn new(name: &str) -> anyhow::Result<Self> {
        let mut params = CertificateParams::default();
        params.distinguished_name = rcgen::DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        Ok(Self(CertifiedIssuer::self_signed(params, KeyPair::generate()?)?))
    }

    /// Its own certificate, as PEM.
    pub fn certificate(&self) -> String {
        self.0.pem()
    }

    /// A server's pair, for these addresses and the API server's names.
    ///
    /// # Errors
    /// Those of the cryptography library.
    pub fn server(&self, addresses: &[IpAddr]) -> anyhow::Result<Pair> {
        let names: Vec<_> = NAMES
            .iter()
            .map(|&name| name.to_owned())
            .chain(addresses.iter().map(IpAddr::to_string))
            .collect();
        let params = CertificateParams::new(names)?;
        self.sign(params, "kube-apiserver", &[], ExtendedKeyUsagePurpose::ServerAuth)
    }

    /// A client's pair: its user name and groups, as the API server reads them.
    ///
    /// # Errors
    /// Those of the cryptography library.
    pub fn client(&self, user: &str, groups: &[&str]) -> anyhow::Result<Pair> {
        let params = CertificateParams::default();
        self.sign(params, user, groups, ExtendedKeyUsagePurpose::ClientAuth)
    }

    fn sign(
        &self,
        mut params: CertificateParams,
        name: &str,
        groups: &[&str],
        usage: ExtendedKeyUsagePurpose,
    ) -> anyhow::Result<Pair> {
        params.distinguished_name = rcgen::DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, name);
        for &group in groups {
            params.distinguished_name.push(DnType::OrganizationName, group);
        }
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![usage];
        let key = KeyPair::generate()?;
        Ok(Pair {
            certificate: params.signed_by(&key, &self.0)?.pem(),
            key: key.serialize_pem(),
        })
    }
}

/// The files that the control plane's programs read.
#[derive(Debug)]
pub(crate) struct Pki {
    /// The CA's certificate.
    pub(crate) ca: PathBuf,
    /// Its text.
    pub(crate) ca_pem: String,
    /// The API server's certificate and key.
    pub(crate) server: (PathBuf, PathBuf),
    /// What verifies (public) and signs (private) tokens of service accounts.
    pub(crate) tokens: (PathBuf, PathBuf),
    /// A member of `system:masters`.
    pub(crate) admin: Pair,
    /// The controller manager.
    pub(crate) controller_manager: Pair,
}

impl Pki {
    /// Makes all and writes the files into a folder of their own.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub(crate) fn create(folder: &Path, addresses: &[IpAddr]) -> anyhow::Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let write = |name: &str, text: &str| -> anyhow::Result<PathBuf> {
            let file = folder.join(name);
            super::write_private(&file, text)?;
            Ok(file)
        };
        let authority = Authority::new("latchkey-cluster")?;
        let server = authority.server(addresses)?;
        let tokens = KeyPair::generate()?;
        Ok(Self {
            ca: write("ca.crt", &authority.certificate())?,
            ca_pem: authority.certificate(),
            server: (
                write("server.crt", &server.certificate)?,
                write("server.key", &server.key)?,
            ),
            tokens: (
                write("tokens.pub", &tokens.public_key_pem())?,
                write("tokens.key", &tokens.serialize_pem())?,
            ),
            admin: authority.client("admin", &["system:masters"])?,
            controller_manager: authority.client("system:kube-controller-manager", &[])?,
        })
    }
}
