//! The cheapest lines of one length.
//!
//! In: lines as they are found. Out: the best of them, the cheapest first, equal ones in the order in which they came.
//! What is too dear to be among them is not kept, and need not be weighed.

use super::Node;

/// Lines of one length, as far as they are needed.
pub struct Frontier {
    nodes: Vec<Node>,
    /// What the cheapest of all that were found cost, in order.
    costs: Vec<u32>,
    /// How many are kept.
    most: usize,
    /// A line that costs so much is not among them.
    pub enough: u32,
}

impl Frontier {
    /// Nothing found yet.
    pub fn new(most: usize, enough: u32) -> Frontier {
        Frontier { nodes: Vec::new(), costs: Vec::new(), most, enough }
    }

    /// One more line that costs less than enough: those that cost more than the last of the best are too dear then.
    pub fn push(&mut self, node: Node) {
        let place = self.costs.partition_point(|cost| *cost <= node.cost);
        self.costs.insert(place, node.cost);
        self.costs.truncate(self.most);
        if let Some(last) = self.costs.get(self.most - 1) {
            self.enough = self.enough.min(last + 1);
        }
        self.nodes.push(node);
        if self.nodes.len() >= 2 * self.most {
            self.trim();
        }
    }

    /// The best, the cheapest first.
    pub fn finish(mut self) -> Vec<Node> {
        self.trim();
        self.nodes
    }

    /// Drops all but the best.
    fn trim(&mut self) {
        self.nodes.sort_by_key(Node::rank);
        self.nodes.truncate(self.most);
    }
}
