//! A program with a person in front of it: its three streams are a terminal, which we hold the other
//! end of.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Instant;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::PATIENCE;

/// A running program.
#[derive(Debug)]
pub struct Terminal {
    child: Child,
    keyboard: File,
    shown: Receiver<Vec<u8>>,
    screen: String,
    read: usize,
}

impl Terminal {
    /// Runs a command.
    pub fn run(command: &mut Command) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        let theirs = OpenOptions::new()
            .read(true)
            .write(true)
            .open(name.to_str().unwrap())
            .unwrap();
        let stream = || Stdio::from(theirs.try_clone().unwrap());
        let child = command
            .stdin(stream())
            .stdout(stream())
            .stderr(stream())
            .spawn()
            .unwrap();
        // Nobody but the program holds its end: what it shows ends with it.
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        drop(theirs);
        let keyboard = File::from(ours);
        let mut screen = keyboard.try_clone().unwrap();
        let (sender, shown) = mpsc::channel();
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(n @ 1..) = screen.read(&mut chunk) {
                if sender.send(chunk[..n].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self {
            child,
            keyboard,
            shown,
            screen: String::new(),
            read: 0,
        }
    }

    /// Reads on until a text is shown that was not read yet.
    #[track_caller]
    pub fn until(&mut self, text: &str) {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.screen[self.read..].find(text) {
                self.read += at + text.len();
                return;
            }
            let left = end.saturating_duration_since(Instant::now());
            match self.shown.recv_timeout(left) {
                Ok(bytes) => self.screen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(_) => panic!("`{text}` was never shown: {}", self.screen),
            }
        }
    }

    /// Types.
    pub fn types(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits for its end; gives its exit status and everything that it showed.
    pub fn end(mut self) -> (i32, String) {
        let status = self.child.wait().unwrap().code().unwrap_or(-1);
        while let Ok(bytes) = self.shown.recv_timeout(PATIENCE) {
            self.screen.push_str(&String::from_utf8_lossy(&bytes));
        }
        (status, std::mem::take(&mut self.screen))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
