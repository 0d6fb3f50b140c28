//! Commands of the arbiter and of the players, and the buttons of the table.
//!
//! In: requests. Out: one answer each, and what they change. A repeated transaction is answered again and changes
//! nothing; a request that cannot be carried out changes nothing either and says what was expected.

mod buttons;
mod claims;
mod corrections;
mod data;
mod games;
mod rulings;

use data::error;
use serde_json::Value;

use super::{Output, Table, judge::RULINGS_MAX};
use crate::event::{Body, Request, Response, ResponseError, ResponseStatus, Ruling};

/// What there is to say beyond "done", or why nothing was done.
type Answer = Result<Option<Value>, ResponseError>;

/// Carries a verb out.
type Act = fn(&mut Table, &Request) -> Answer;

/// Every verb and what carries it out.
const VERBS: &[(&str, Act)] = &[
    ("new-game", games::new_game),
    ("start", games::start),
    ("pause", games::pause),
    ("resume", games::resume),
    ("players", games::players),
    ("claim", claims::claim),
    ("confirm", claims::confirm),
    ("dismiss", claims::dismiss),
    ("declare", games::declare),
    ("invisible", rulings::invisible),
    ("visible", rulings::visible),
    ("penalty", rulings::penalty),
    ("draw-offer", rulings::draw_offer),
    ("draw-accept", rulings::draw_accept),
    ("resign", rulings::resign),
    ("result", games::result),
    ("correct", corrections::correct),
    ("undo", corrections::undo),
    ("set-position", corrections::set_position),
    ("set-clock", rulings::set_clock),
    ("abort", games::abort),
];

impl Table {
    pub(super) fn request(&mut self, request: Request) {
        let known = request.transaction.as_ref().and_then(|transaction| {
            let same = |(by, answer): &&(Option<String>, Response)| {
                answer.transaction.as_ref() == Some(transaction) && answer.verb == request.verb && *by == request.by
            };
            self.judge.answers.iter().find(same).map(|(_, answer)| answer.clone())
        });
        let response = known.unwrap_or_else(|| self.answer(request));
        self.out.push_back(Output::Response(response));
    }

    fn answer(&mut self, request: Request) -> Response {
        let carried_out = self.carry_out(&request);
        self.judge.changed = true;
        let status = if carried_out.is_ok() { ResponseStatus::Ok } else { ResponseStatus::Error };
        let (error, data) = match carried_out {
            Ok(data) => (None, data),
            Err(error) => (Some(error), None),
        };
        if status == ResponseStatus::Ok {
            self.note(&request);
        }
        let Request { verb, transaction, by, .. } = request;
        let response = Response { status, verb, transaction, error, data };
        if response.transaction.is_some() {
            self.judge.remember_answer(by, response.clone());
        }
        response
    }

    /// Carries out once more what was commanded before the daemon was started again; nobody is answered.
    pub(super) fn command_again(&mut self, request: &Request) {
        // What it was about may be gone; it was carried out once.
        let _ = self.carry_out(request);
    }

    fn carry_out(&mut self, request: &Request) -> Answer {
        match VERBS.iter().find(|(verb, _)| *verb == request.verb) {
            Some((_, act)) => act(self, request),
            None => {
                let verbs: Vec<&str> = VERBS.iter().map(|(verb, _)| *verb).collect();
                let found: String = request.verb.chars().take(data::SHOWN_MAX).collect();
                Err(error("unknown-verb", format!("expected one of {}, found {found:?}", verbs.join(", "))))
            }
        }
    }

    /// Tells the arbiter's feed what was commanded, and by whom.
    fn note(&mut self, request: &Request) {
        let Request { verb, data, transaction, by } = request.clone();
        self.emit(Body::Ruling(Box::new(Ruling { verb, data, by, transaction })));
        let Some(Output::Event(event)) = self.out.back() else { return };
        self.judge.rulings.push_front(event.clone());
        self.judge.rulings.truncate(RULINGS_MAX);
    }
}
