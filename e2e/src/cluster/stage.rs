//! The whole of it, running: a scene with an operator and two gateways. What is asked is asked of both.

use std::ops::Deref;

use rustix::process::Signal;

use super::{Gateway, Operator, Scene};
use crate::{
    client::{Request, Response},
    echo::Seen,
};

/// A [`Scene`] that is served.
#[derive(Debug)]
pub struct Stage {
    gateways: [Gateway; 2],
    operator: Option<Operator>,
    scene: Scene<'static>,
}

impl Stage {
    /// In a namespace of the shared cluster.
    pub fn shared() -> Self {
        Self::of(Scene::shared())
    }

    /// Of a scene. Its route is served and asks for a key.
    pub fn of(scene: Scene<'static>) -> Self {
        // The gateways wait for the pepper while the operator makes it.
        let mut gateways = [(); 2].map(|()| scene.gateway().start_unready());
        let operator = scene.operator().start();
        for gateway in &mut gateways {
            gateway.wait_ready();
        }
        let stage = Self {
            gateways,
            operator: Some(operator),
            scene,
        };
        stage.becomes(&Request::get("/"), 401);
        stage
    }

    /// Its gateways.
    pub fn gateways(&self) -> &[Gateway; 2] {
        &self.gateways
    }

    /// Its operator, which runs.
    pub fn operator(&self) -> &Operator {
        self.operator.as_ref().expect("the test has not ended it")
    }

    /// Ends the operator in good order: it gives its Lease back, so the next one leads at once.
    pub fn end_operator(&mut self) {
        let mut operator = self.operator.take().expect("the test has not ended it");
        operator.process().signal(Signal::TERM);
        assert!(operator.process_mut().wait().success(), "it ends in good order");
    }

    /// Starts an operator where none runs.
    pub fn start_operator(&mut self) {
        self.operator = Some(self.scene.operator().start());
    }

    /// Waits until this status is every gateway's answer, whatever comes before.
    pub fn becomes(&self, request: &Request, status: u16) {
        for gateway in &self.gateways {
            gateway.becomes(request, status);
        }
    }

    /// Waits until every gateway's status changes: no other one in between, and never the old one again.
    /// Gives the last answer of each.
    pub fn flips(&self, request: &Request, from: u16, to: u16) -> [Response; 2] {
        self.gateways
            .each_ref()
            .map(|gateway| gateway.flips(request, from, to))
    }

    /// This is the status of every gateway's answer now.
    #[track_caller]
    pub fn is(&self, request: &Request, status: u16) {
        for gateway in &self.gateways {
            let response = gateway.send(request);
            assert_eq!(response.status, status, "{}", response.text());
        }
    }

    /// This is the status of every gateway's answer, and stays so when all that was done to Consumers and
    /// Credentials before is in force.
    #[track_caller]
    pub fn still(&self, request: &Request, status: u16) {
        for gateway in &self.gateways {
            self.scene.catches_up(gateway);
        }
        self.is(request, status);
    }

    /// Waits until every gateway lets this request through and the upstream sees this header of it.
    pub fn shows(&self, request: &Request, header: &str, value: Option<&str>) {
        for gateway in &self.gateways {
            gateway.until(request, &format!("{header} is {value:?}"), |response| {
                response.status == 200 && Seen::of(response).header(header).as_deref() == value
            });
        }
    }
}

impl Deref for Stage {
    type Target = Scene<'static>;

    fn deref(&self) -> &Scene<'static> {
        &self.scene
    }
}
