//! The memory of a process, as Linux counts it.

use std::fs;
use std::path::PathBuf;

/// Of which process.
pub struct Memory {
    folder: PathBuf,
}

impl Memory {
    pub fn of(process: u32) -> Self {
        Self {
            folder: PathBuf::from(format!("/proc/{process}")),
        }
    }

    /// Bytes that are resident now; `None` where there is no such process, or no Linux.
    pub fn resident(&self) -> Option<u64> {
        self.bytes("VmRSS:")
    }

    /// The most bytes that were resident at once since the process began, or since [`Self::forget`].
    pub fn peak(&self) -> Option<u64> {
        self.bytes("VmHWM:")
    }

    /// Lets the peak begin anew; where that is not allowed it stays the one since the process began.
    pub fn forget(&self) {
        // proc(5): 5 resets the peak.
        let _ = fs::write(self.folder.join("clear_refs"), "5");
    }

    fn bytes(&self, name: &str) -> Option<u64> {
        let status = fs::read_to_string(self.folder.join("status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kib * 1024)
    }
}
