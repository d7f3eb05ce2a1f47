//! The table of the dashboard's routes. Each is one line; from it come the router and the list of who may open what. What a route
//! asks for is read from its handler's own signature, so the list cannot say otherwise than the door.

use axum::{Router, extract::DefaultBodyLimit, handler::Handler, http::Method, routing};
use domain::permission::Permission;

use crate::{
    auth::{Listener, Need, Person, SignIn, Signed, Visitor},
    http::FILE_LIMIT,
    state::AppState,
};

/// Who may open a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everybody.
    Open,
    /// Whoever is signed in.
    SignedIn,
    /// Whose roles have this permission.
    Needs(Permission),
}

/// A line of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// `GET` or `POST`.
    pub method: Method,
    /// The path, with its parameters in braces.
    pub path: &'static str,
    /// Who may open it.
    pub access: Access,
}

/// What a handler may begin with: the extractor that says who asks.
pub trait Admits {
    /// Whom it lets in.
    const ACCESS: Access;
}

impl<P: Need> Admits for Signed<P> {
    const ACCESS: Access = Access::Needs(P::PERMISSION);
}

impl Admits for Listener {
    const ACCESS: Access = Access::Needs(Self::PERMISSION);
}

impl Admits for Person {
    const ACCESS: Access = Access::SignedIn;
}

impl Admits for Visitor {
    const ACCESS: Access = Access::Open;
}

impl Admits for SignIn {
    const ACCESS: Access = Access::Open;
}

/// A handler whose first argument is `Who`.
pub trait OpenTo<Who, Rest> {}

macro_rules! open_to {
    ($($rest:ident),*) => {
        impl<F, Who, Answer, $($rest),*> OpenTo<Who, ($($rest,)*)> for F
        where
            F: Fn(Who, $($rest),*) -> Answer
        {}
    };
}

open_to!();
open_to!(A);
open_to!(A, B);
open_to!(A, B, C);
open_to!(A, B, C, D);
open_to!(A, B, C, D, E);
open_to!(A, B, C, D, E, G);

/// The routes so far.
#[derive(Default)]
pub struct Table {
    routes: Vec<Route>,
    router: Router<AppState>,
}

impl Table {
    /// A page.
    pub fn get<H, T, Who, Rest>(self, path: &'static str, handler: H) -> Self
    where
        H: Handler<T, AppState> + OpenTo<Who, Rest>,
        T: 'static,
        Who: Admits,
    {
        self.with(Method::GET, path, Who::ACCESS, routing::get(handler))
    }

    /// A form.
    pub fn post<H, T, Who, Rest>(self, path: &'static str, handler: H) -> Self
    where
        H: Handler<T, AppState> + OpenTo<Who, Rest>,
        T: 'static,
        Who: Admits,
    {
        self.with(Method::POST, path, Who::ACCESS, routing::post(handler))
    }

    /// A form that brings a file along.
    pub fn upload<H, T, Who, Rest>(self, path: &'static str, handler: H) -> Self
    where
        H: Handler<T, AppState> + OpenTo<Who, Rest>,
        T: 'static,
        Who: Admits,
    {
        let larger = DefaultBodyLimit::max(FILE_LIMIT);
        let routed = routing::post(handler).layer(larger);
        self.with(Method::POST, path, Who::ACCESS, routed)
    }

    fn with(
        mut self,
        method: Method,
        path: &'static str,
        access: Access,
        handler: routing::MethodRouter<AppState>,
    ) -> Self {
        self.routes.push(Route {
            method,
            path,
            access,
        });
        self.router = self.router.route(path, handler);
        self
    }

    /// What answers.
    pub fn router(self) -> Router<AppState> {
        self.router
    }

    /// The lines.
    pub fn routes(self) -> Vec<Route> {
        self.routes
    }
}
