//! Prints what is said about the commands given as arguments: `cargo run --example risk -- 'rm -rf x'`.

use aictx_guard::{NoFacts, Place, command_risk};

fn main() {
    let place = Place {
        root: "/home/dev/app",
        cwd: "/home/dev/app",
    };
    for command in std::env::args().skip(1) {
        println!("{command}");
        println!("{:#?}", command_risk(&command, place, &NoFacts));
        let script = aictx_signals::shell::analyse(&command, aictx_signals::shell::Dialect::Posix);
        for command in script.commands {
            println!("{:?} {:?}", command.name(), command.arguments());
        }
    }
}
