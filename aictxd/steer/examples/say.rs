//! Classifies each line of standard input: `cargo run -p aictx-steer --example say < messages`.

use aictx_proto::methods::SteerParams;
use aictx_steer::steer;

fn main() {
    for message in std::io::stdin().lines().map_while(Result::ok) {
        let params = SteerParams {
            message: message.clone(),
            ..SteerParams::default()
        };
        match steer(&params) {
            Ok(reply) => println!(
                "{message}\n  {}/{} [{}] {:?} {}",
                reply.classification,
                reply.decision,
                reply.language,
                reply.reasons,
                serde_json::to_string(&reply.suggested_updates).unwrap_or_default()
            ),
            Err(error) => println!("{message}\n  {error}"),
        }
    }
}
