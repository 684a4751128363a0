//! Where the control plane's programs are: as the environment says, else as built once by
//! `scripts/controlplane.sh`, whose lines name them.

use std::{
    collections::HashMap,
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
};

use anyhow::{Context, bail, ensure};

/// The programs, and the folder of Gateway API's standard CRDs.
#[derive(Clone, Debug)]
pub struct Programs {
    /// etcd.
    pub etcd: PathBuf,
    /// The API server.
    pub apiserver: PathBuf,
    /// The controller manager.
    pub controller_manager: PathBuf,
    /// kubectl, of the API server's version.
    pub kubectl: PathBuf,
    /// Manifests of CRDs.
    pub gateway_api_crds: PathBuf,
}

/// The repository, which holds the script and the manifests.
pub(crate) fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

impl Programs {
    /// Finds them; the first call may build them.
    ///
    /// # Errors
    /// They do not build, or a variable names something that is not there.
    pub fn find() -> anyhow::Result<&'static Self> {
        static FOUND: OnceLock<Result<Programs, String>> = OnceLock::new();
        match FOUND.get_or_init(|| Self::ask().map_err(|e| format!("{e:#}"))) {
            Ok(found) => Ok(found),
            Err(e) => bail!("no control plane: {e}"),
        }
    }

    fn ask() -> anyhow::Result<Self> {
        let script = repository().join("scripts/controlplane.sh");
        let output = Command::new(&script)
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .with_context(|| format!("cannot run {}", script.display()))?;
        ensure!(
            output.status.success(),
            "{} failed; it says why above",
            script.display()
        );
        let text = String::from_utf8_lossy(&output.stdout);
        let lines: HashMap<_, _> = text.lines().filter_map(|line| line.split_once('=')).collect();
        let place = |name: &str| {
            let path = PathBuf::from(lines.get(name).with_context(|| format!("no line says {name}"))?);
            ensure!(
                path.exists(),
                "{name} names {}, which is not there",
                path.display()
            );
            Ok(path)
        };
        Ok(Self {
            etcd: place("LATCHKEY_ETCD")?,
            apiserver: place("LATCHKEY_KUBE_APISERVER")?,
            controller_manager: place("LATCHKEY_KUBE_CONTROLLER_MANAGER")?,
            kubectl: place("LATCHKEY_KUBECTL")?,
            gateway_api_crds: place("LATCHKEY_GATEWAY_API_CRDS")?,
        })
    }
}
