//! Batches of games through several workers, in and out in one order.
//!
//! Every worker has its own bounded queues, and batches go round: the first one in is the first one out, and no more
//! batches are under way than the queues hold.

use std::{
    sync::mpsc::{self, Receiver, SyncSender},
    thread,
};

/// Batches that wait before and behind each worker.
const QUEUE_BATCHES: usize = 4;

/// Does `work` with each batch that `source` gives, on `jobs` threads, and hands the answers to `sink` in the order of
/// the batches. Ends when the source is dry or the sink has enough.
pub fn in_order<B: Send, A: Send, E>(
    jobs: usize,
    mut source: impl FnMut() -> Option<B> + Send,
    work: impl Fn(B) -> A + Sync,
    mut sink: impl FnMut(A) -> Result<(), E>,
) -> Result<(), E> {
    if jobs <= 1 {
        return std::iter::from_fn(source).try_for_each(|batch| sink(work(batch)));
    }
    thread::scope(|scope| {
        let (inputs, outputs): (Vec<SyncSender<B>>, Vec<Receiver<A>>) = (0..jobs)
            .map(|_| {
                let (to_worker, batches) = mpsc::sync_channel::<B>(QUEUE_BATCHES);
                let (answer, answers) = mpsc::sync_channel::<A>(QUEUE_BATCHES);
                let work = &work;
                // A closed queue means that nobody wants more answers.
                scope.spawn(move || batches.into_iter().try_for_each(|batch| answer.send(work(batch))));
                (to_worker, answers)
            })
            .unzip();
        scope.spawn(move || {
            let mut workers = inputs.iter().cycle();
            while let (Some(batch), Some(worker)) = (source(), workers.next()) {
                if worker.send(batch).is_err() {
                    return;
                }
            }
        });
        let mut workers = outputs.iter().cycle();
        while let Some(answer) = workers.next().and_then(|worker| worker.recv().ok()) {
            sink(answer)?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squares(jobs: usize, count: u64, enough: u64) -> (Vec<u64>, Result<(), u64>) {
        let mut numbers = 0..count;
        let mut seen = Vec::new();
        let ended = in_order(
            jobs,
            || numbers.next(),
            |number| number * number,
            |square| {
                seen.push(square);
                if square < enough { Ok(()) } else { Err(square) }
            },
        );
        (seen, ended)
    }

    #[test]
    fn answers_come_in_the_order_of_the_batches() {
        for jobs in [1, 2, 5] {
            assert_eq!(squares(jobs, 200, u64::MAX), ((0..200).map(|n| n * n).collect(), Ok(())), "{jobs} jobs");
            assert_eq!(squares(jobs, 0, u64::MAX), (vec![], Ok(())));
        }
    }

    #[test]
    fn a_sink_that_has_enough_ends_the_work() {
        for jobs in [1, 3] {
            assert_eq!(squares(jobs, u64::MAX, 16), (vec![0, 1, 4, 9, 16], Err(16)));
        }
    }
}
