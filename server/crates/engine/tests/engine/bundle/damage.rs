//! Every way to damage a bundle that somebody may think of: by accident, by somebody who has the file, and by an installation that
//! lies and can sign what it likes, but did not know then what it would want to have said.

use domain::{audit::Signer, export::ExportSort};
use engine::export::bundle::{ChainProof, Filter, Hex, Manifest, Part, Proofs};
use serde_json::{Value, json};

use super::builder::{Bundle, signer, zip};

/// The files whose lines have texts.
const TEXTS: [Part; 5] = [
    Part::Conversations,
    Part::Candidates,
    Part::Decisions,
    Part::Remarks,
    Part::Memories,
];

/// Damaged bundles, each with what was done.
pub struct Damages {
    ours: Signer,
    pub list: Vec<(String, Vec<u8>)>,
}

type Change = fn(&mut Manifest);

impl Damages {
    /// All of them: of a whole bundle, and of one about some people.
    pub fn of(whole: &Bundle, part: &Bundle) -> Self {
        let mut damages = Self {
            ours: signer(1),
            list: Vec::new(),
        };
        damages.accidents(whole);
        damages.packing(whole);
        damages.keys(whole);
        damages.forms(whole);
        for (name, bundle) in [("whole", whole), ("part", part)] {
            damages.events(name, bundle);
            damages.texts(name, bundle);
            damages.proofs(name, bundle);
        }
        damages.servings(whole);
        damages.manifest(whole, part);
        damages
    }

    fn add(&mut self, what: impl Into<String>, zip: Vec<u8>) {
        self.list.push((what.into(), zip));
    }

    /// Changed, and signed as if nothing had been.
    fn lie(&mut self, what: impl Into<String>, bundle: &Bundle, change: impl FnOnce(&mut Bundle)) {
        let mut bundle = bundle.clone();
        change(&mut bundle);
        bundle.seal(&self.ours);
        self.add(what, bundle.zip());
    }

    /// One bit somewhere in each file.
    fn accidents(&mut self, whole: &Bundle) {
        for part in Part::AUDIT {
            let length = whole.0[&part].len();
            for eighth in [1, 4, 7] {
                let at = length * eighth / 8;
                let mut bundle = whole.clone();
                bundle.flip(part, at, 0);
                self.add(format!("a bit of {} at {at}", part.name()), bundle.zip());
            }
            // Whoever changes a file and its sum still cannot sign.
            if part < Part::Sums {
                let mut bundle = whole.clone();
                bundle.flip(part, length / 2, 4);
                bundle.sum_up();
                let what = format!("{} changed and summed up", part.name());
                self.add(what, bundle.zip());
            }
        }
    }

    fn packing(&mut self, whole: &Bundle) {
        let bytes = whole.zip();
        let length = bytes.len();
        for cut in [0, 1, 21, 22, length / 2, length - 22, length - 1] {
            self.add(format!("cut to {cut}"), bytes[..cut].to_vec());
        }
        self.add(
            "a byte behind",
            [bytes.as_slice(), b"x".as_slice()].concat(),
        );
        self.add("a byte before", [b"x".as_slice(), &bytes].concat());
        let mut comment = bytes.clone();
        comment[length - 2] = 1;
        comment.push(b'x');
        self.add("a comment", comment);

        let files = whole.files();
        for left_out in 0..files.len() {
            let kept = files.iter().enumerate();
            let kept = kept.filter(|(number, _)| *number != left_out);
            let what = format!("without {}", files[left_out].0);
            self.add(what, zip(kept.map(|(_, file)| file)));
        }
        let more = ("notes.txt", b"Look here first.".to_vec());
        self.add("a file too many", zip(files.iter().chain([&more])));
        let again = ("memories.ndjson", b"{}\n".to_vec());
        self.add("a file twice", zip(files.iter().chain([&again])));
        let bomb = ("pubkey.txt", vec![b'0'; 1 << 20]);
        let others = files.iter().filter(|file| file.0 != "pubkey.txt");
        self.add("a file too large", zip(others.chain([&bomb])));

        // The first file is deflated, the second stored.
        let second = files[1].1.as_slice();
        let at = bytes
            .windows(second.len())
            .position(|window| window == second)
            .unwrap();
        let mut stored = bytes.clone();
        stored[at + 100] ^= 1;
        self.add("a bit of a stored file", stored);
        let mut deflated = bytes.clone();
        deflated[30 + files[0].0.len() + 20] ^= 1;
        self.add("a bit of a deflated file", deflated);
        let mut renamed = bytes.clone();
        renamed[30] ^= 1;
        self.add("another name before the file", renamed);
    }

    fn keys(&mut self, whole: &Bundle) {
        let foreign = signer(2);
        let mut sealed = whole.clone();
        sealed.seal(&foreign);
        self.add("sealed by somebody else", sealed.zip());

        let mut taken_over = whole.clone();
        let key = engine::export::bundle::public_key(&foreign.public_key());
        taken_over.0.insert(Part::PublicKey, key.into_bytes());
        taken_over.edit_checkpoint(&foreign, |_| {});
        taken_over.seal(&foreign);
        self.add("signed by somebody else throughout", taken_over.zip());

        self.lie("a key without the end of its line", whole, |bundle| {
            if let Some(key) = bundle.0.get_mut(&Part::PublicKey) {
                key.pop();
            }
        });
        self.lie("a checkpoint signed by somebody else", whole, |bundle| {
            bundle.edit_checkpoint(&foreign, |_| {});
        });
        self.lie("a checkpoint of another installation", whole, |bundle| {
            bundle.edit_checkpoint(&signer(1), |checkpoint| {
                checkpoint.origin = "keepsake/elsewhere/system".to_owned();
            });
        });
        let mut replayed = whole.clone();
        replayed.flip(Part::Report, 20, 0);
        replayed.sum_up();
        self.add("the signature of other files", replayed.zip());
    }

    /// Lines that are no longer of their form, though they say the same.
    fn forms(&mut self, whole: &Bundle) {
        for part in Part::LINES {
            self.lie(
                format!("a space in a line of {}", part.name()),
                whole,
                |bundle| {
                    bundle.edit_lines(part, |lines| lines[1] = lines[1].replacen(':', ": ", 1))
                },
            );
            self.lie(
                format!("a name too many in {}", part.name()),
                whole,
                |bundle| {
                    bundle.edit_line(part, 1, |line| line["zzz"] = Value::Null);
                },
            );
            self.lie(format!("no end of {}", part.name()), whole, |bundle| {
                if let Some(bytes) = bundle.0.get_mut(&part) {
                    bytes.pop();
                }
            });
        }
        for (what, part, from, to) in [
            (
                "a fraction",
                Part::Memories,
                "\"revision\":1,",
                "\"revision\":1.0,",
            ),
            (
                "a name twice",
                Part::Memories,
                "\"revision\":1,",
                "\"revision\":1,\"revision\":1,",
            ),
            ("an escape", Part::Users, "\"ana\"", "\"\\u0061na\""),
            ("no null", Part::Users, "\"erased_at\":null,", ""),
            ("another time zone", Part::Users, "Z\"", "+00:00\""),
            ("no such day", Part::Users, "2024-10-04", "2024-02-30"),
            ("no such id", Part::Users, "\"usr_", "\"usr_i"),
            ("no such agent", Part::Users, "\"sales\"", "\"Sales\""),
            ("a number for a word", Part::Candidates, "\"create\"", "1"),
            (
                "a list for an object",
                Part::Events,
                "\"data\":{}",
                "\"data\":[]",
            ),
            ("another version", Part::Events, "\"v\":1", "\"v\":2"),
            ("no number", Part::Events, "\"v\":1", "\"v\":NaN"),
        ] {
            self.lie(what, whole, |bundle| {
                bundle.edit_lines(part, |lines| {
                    let line = lines.iter_mut().find(|line| line.contains(from)).unwrap();
                    *line = line.replacen(from, to, 1);
                });
            });
        }
        // More faults than are listed.
        self.lie("spaces everywhere", whole, |bundle| {
            for part in Part::LINES {
                bundle.edit_lines(part, |lines| {
                    lines.iter_mut().for_each(|line| line.push(' '));
                });
            }
        });
        self.lie("no UTF-8", whole, |bundle| {
            bundle.flip(Part::Conversations, 40, 7)
        });
    }

    fn events(&mut self, name: &str, bundle: &Bundle) {
        let count = bundle.lines(Part::Events).len();
        let length = bundle.0[&Part::Events].len();
        for tenth in 0..10 {
            let at = length * tenth / 10 + 3;
            self.lie(
                format!("{name}: a bit of the events at {at}"),
                bundle,
                |bundle| {
                    bundle.flip(Part::Events, at, 1);
                },
            );
        }
        for number in [0, count / 3, count / 2, count - 1] {
            self.lie(
                format!("{name}: without event {number}"),
                bundle,
                |bundle| {
                    bundle.edit_lines(Part::Events, |lines| drop(lines.remove(number)));
                    bundle.count();
                },
            );
            self.lie(format!("{name}: event {number} twice"), bundle, |bundle| {
                bundle.edit_lines(Part::Events, |lines| {
                    lines.insert(number, lines[number].clone());
                });
                bundle.count();
            });
        }
        for number in [0, count / 2, count - 2] {
            self.lie(format!("{name}: event {number} later"), bundle, |bundle| {
                bundle.edit_lines(Part::Events, |lines| lines.swap(number, number + 1));
            });
        }
        self.lie(format!("{name}: another actor"), bundle, |bundle| {
            bundle.edit_line(Part::Events, 2, |event| {
                event["actor"]["type"] = json!("person")
            });
        });
        self.lie(format!("{name}: another hash before"), bundle, |bundle| {
            bundle.edit_line(Part::Events, 2, |event| {
                event["prev_hash"] = json!("00".repeat(32));
            });
        });
        self.lie(format!("{name}: an event made up"), bundle, |bundle| {
            bundle.edit_lines(Part::Events, |lines| {
                let last = lines.last().unwrap();
                let mut event: Value = serde_json::from_str(last).unwrap();
                event["seq"] = json!(event["seq"].as_i64().unwrap() + 1);
                lines.push(engine::export::bundle::canonical(&event));
            });
            bundle.count();
        });
    }

    fn texts(&mut self, name: &str, bundle: &Bundle) {
        for part in TEXTS {
            let file = part.name();
            self.lie(
                format!("{name}: another text in {file}"),
                bundle,
                |bundle| {
                    bundle.edit_line(part, 0, |line| line["text"] = json!({ "content": "Yes." }));
                },
            );
            self.lie(
                format!("{name}: text and what was committed to in {file}"),
                bundle,
                |bundle| {
                    bundle.edit_line(part, 0, |line| {
                        line["text"] = json!({ "content": "Yes." });
                        line["proof"]["committed"] = json!("{\"content\":\"Yes.\"}");
                    });
                },
            );
            self.lie(
                format!("{name}: another salt in {file}"),
                bundle,
                |bundle| {
                    bundle.edit_line(part, 0, |line| {
                        line["proof"]["salt"] = json!("00".repeat(32))
                    });
                },
            );
            self.lie(
                format!("{name}: the text of another in {file}"),
                bundle,
                |bundle| {
                    let other: Value = serde_json::from_str(&bundle.lines(part)[1]).unwrap();
                    bundle.edit_line(part, 0, |line| {
                        line["text"] = other["text"].clone();
                        line["proof"] = other["proof"].clone();
                    });
                },
            );
            self.lie(
                format!("{name}: two proofs for each other in {file}"),
                bundle,
                |bundle| {
                    let [one, other] = [0, 1].map(|number| {
                        let line: Value =
                            serde_json::from_str(&bundle.lines(part)[number]).unwrap();
                        line["proof"].clone()
                    });
                    bundle.edit_line(part, 0, |line| line["proof"] = other);
                    bundle.edit_line(part, 1, |line| line["proof"] = one);
                },
            );
            for field in ["agent", "user"] {
                self.lie(
                    format!("{name}: another {field} in {file}"),
                    bundle,
                    |bundle| {
                        let last = bundle.lines(part).pop().unwrap();
                        let last: Value = serde_json::from_str(&last).unwrap();
                        bundle.edit_line(part, 0, |line| line[field] = last[field].clone());
                    },
                );
            }
            let subject = match part {
                Part::Decisions | Part::Remarks => "candidate",
                _ => "id",
            };
            self.lie(
                format!("{name}: another subject in {file}"),
                bundle,
                |bundle| {
                    let last = bundle.lines(part).pop().unwrap();
                    let last: Value = serde_json::from_str(&last).unwrap();
                    bundle.edit_line(part, 0, |line| line[subject] = last[subject].clone());
                },
            );
            self.lie(
                format!("{name}: a line of {file} left out"),
                bundle,
                |bundle| {
                    bundle.edit_lines(part, |lines| drop(lines.remove(0)));
                    bundle.count();
                },
            );
            self.lie(
                format!("{name}: a line of {file} twice"),
                bundle,
                |bundle| {
                    bundle.edit_lines(part, |lines| lines.push(lines[0].clone()));
                    bundle.count();
                },
            );
        }
        self.lie(
            format!("{name}: another number of a revision"),
            bundle,
            |bundle| {
                bundle.edit_line(Part::Memories, 0, |line| line["revision"] = json!(2));
            },
        );
        self.lie(
            format!("{name}: another occasion of a remark"),
            bundle,
            |bundle| {
                bundle.edit_line(Part::Remarks, 0, |line| line["occasion"] = json!("agreed"));
            },
        );
        self.lie(
            format!("{name}: a decision without its text"),
            bundle,
            |bundle| {
                bundle.edit_line(Part::Decisions, 0, |line| {
                    line["text"] = Value::Null;
                    line["proof"] = Value::Null;
                });
            },
        );
        self.lie(
            format!("{name}: a decision without its proof"),
            bundle,
            |bundle| {
                bundle.edit_line(Part::Decisions, 0, |line| line["proof"] = Value::Null);
            },
        );
    }

    fn proofs(&mut self, name: &str, bundle: &Bundle) {
        let mut change = |what: &str, change: fn(&mut ChainProof)| {
            self.lie(format!("{name}: {what}"), bundle, |bundle| {
                bundle.edit::<Proofs>(Part::Proofs, |proofs| {
                    let proof = proofs.chains.get_mut("support").unwrap();
                    change(proof);
                });
            });
        };
        change("another root", |proof| proof.root.0[7] ^= 1);
        change("a larger tree", |proof| proof.size += 1);
        change("a smaller tree", |proof| proof.size -= 1);
        change("no tree", |proof| proof.size = 0);
        change("a tree that nobody has", |proof| proof.size = 1 << 53);
        change("a hash too many", |proof| proof.hashes.push(Hex([1; 32])));
        self.lie(format!("{name}: no proof of a chain"), bundle, |bundle| {
            bundle.edit::<Proofs>(Part::Proofs, |proofs| drop(proofs.chains.remove("sales")));
        });
        self.lie(
            format!("{name}: the proof of a chain that is not here"),
            bundle,
            |bundle| {
                bundle.edit::<Proofs>(Part::Proofs, |proofs| {
                    let proof = proofs.chains["sales"].clone();
                    proofs.chains.insert("other".to_owned(), proof);
                });
            },
        );
        self.lie(format!("{name}: proofs that say more"), bundle, |bundle| {
            bundle.edit::<Value>(Part::Proofs, |proofs| proofs["why"] = json!(1));
        });
        self.lie(format!("{name}: two proofs of a chain"), bundle, |bundle| {
            let text = String::from_utf8(bundle.0[&Part::Proofs].clone()).unwrap();
            let text = text.replace("\"sales\"", "\"support\"");
            bundle.0.insert(Part::Proofs, text.into_bytes());
        });
        self.lie(
            format!("{name}: another tree was signed"),
            bundle,
            |bundle| {
                bundle.edit_checkpoint(&signer(1), |checkpoint| {
                    let extent = checkpoint.agents.get_mut("support").unwrap();
                    extent.root[0] ^= 1;
                });
            },
        );
        self.lie(
            format!("{name}: a chain was not signed"),
            bundle,
            |bundle| {
                bundle.edit_checkpoint(&signer(1), |checkpoint| {
                    checkpoint.agents.remove("support");
                });
            },
        );
        let proofs: Proofs = serde_json::from_slice(&bundle.0[&Part::Proofs]).unwrap();
        if proofs.chains["support"].hashes.len() < 3 {
            return;
        }
        let mut change = |what: &str, change: fn(&mut Vec<Hex>)| {
            self.lie(format!("{name}: {what}"), bundle, |bundle| {
                bundle.edit::<Proofs>(Part::Proofs, |proofs| {
                    change(&mut proofs.chains.get_mut("support").unwrap().hashes);
                });
            });
        };
        change("another hash", |hashes| hashes[1].0[31] ^= 128);
        change("a hash too few", |hashes| {
            hashes.pop();
        });
        change("no hashes", Vec::clear);
        change("hashes in another order", |hashes| hashes.swap(0, 1));
        change("a hash twice", |hashes| hashes.insert(1, hashes[0]));
    }

    fn servings(&mut self, whole: &Bundle) {
        let lines = whole.lines(Part::Servings);
        // The first batch of which it is known what belongs together.
        let first = lines
            .iter()
            .position(|line| !line.contains("\"batch\":null"))
            .unwrap();
        self.lie("another revision was served", whole, |bundle| {
            bundle.edit_line(Part::Servings, first, |line| {
                line["items"][0]["revision"] = json!(1);
            });
        });
        self.lie("somebody else was served", whole, |bundle| {
            let other: Value = serde_json::from_str(&lines[first + 1]).unwrap();
            bundle.edit_line(Part::Servings, first, |line| {
                line["user"] = other["user"].clone();
            });
        });
        self.lie("a serving left out", whole, |bundle| {
            bundle.edit_lines(Part::Servings, |lines| drop(lines.remove(first + 1)));
            bundle.count();
        });
        self.lie("a serving twice", whole, |bundle| {
            bundle.edit_lines(Part::Servings, |lines| {
                lines.insert(first, lines[first].clone());
            });
            bundle.count();
        });
        self.lie("servings in another order", whole, |bundle| {
            bundle.edit_lines(Part::Servings, |lines| lines.swap(first, first + 1));
        });
        self.lie("a batch in two places", whole, |bundle| {
            bundle.edit_lines(Part::Servings, |lines| {
                let line = lines.remove(first);
                lines.push(line);
            });
        });
        self.lie("a batch left out", whole, |bundle| {
            bundle.edit_lines(Part::Servings, |lines| {
                lines.drain(first..first + 2);
            });
            bundle.count();
        });
        self.lie("a batch that no event tells of", whole, |bundle| {
            let other: Value = serde_json::from_str(&lines[first + 1]).unwrap();
            for number in [first, first + 1] {
                bundle.edit_line(Part::Servings, number, |line| {
                    line["batch"] = other["id"].clone();
                });
            }
        });
        self.lie(
            "the first of servings whose batch is not known left out",
            whole,
            |bundle| {
                bundle.edit_lines(Part::Servings, |lines| {
                    let number = lines
                        .iter()
                        .position(|line| line.contains("\"batch\":null"))
                        .unwrap();
                    lines.remove(number);
                });
                bundle.count();
            },
        );
    }

    fn manifest(&mut self, whole: &Bundle, part: &Bundle) {
        for lines in Part::LINES {
            self.lie(
                format!("{} counted otherwise", lines.name()),
                whole,
                |bundle| {
                    bundle.edit::<Manifest>(Part::Manifest, |manifest| {
                        *manifest.counts.get_mut(lines.name()).unwrap() += 1;
                    });
                },
            );
        }
        let changes: [(&str, Change); 9] = [
            ("another format", |manifest| manifest.format.push('1')),
            ("another sort", |manifest| manifest.sort = ExportSort::Copy),
            ("another installation", |manifest| {
                manifest.instance.push('1')
            }),
            ("a count too many", |manifest| {
                manifest.counts.insert("events.csv".to_owned(), 1);
            }),
            ("a count too few", |manifest| {
                manifest.counts.remove("users.ndjson");
            }),
            ("a chain counted otherwise", |manifest| {
                manifest.chains.get_mut("sales").unwrap().events += 1;
            }),
            ("a chain of another size", |manifest| {
                manifest.chains.get_mut("sales").unwrap().size += 1;
            }),
            ("a chain of another root", |manifest| {
                manifest.chains.get_mut("sales").unwrap().root.0[0] ^= 1;
            }),
            ("a chain not mentioned", |manifest| {
                manifest.chains.remove("sales");
            }),
        ];
        for (what, change) in changes {
            self.lie(what, whole, |bundle| {
                bundle.edit::<Manifest>(Part::Manifest, change);
            });
        }
        self.lie("a part given out as the whole", part, |bundle| {
            bundle.edit::<Manifest>(Part::Manifest, |manifest| {
                manifest.filter = Filter::default();
            });
        });
        self.lie("a manifest with a space", whole, |bundle| {
            if let Some(bytes) = bundle.0.get_mut(&Part::Manifest) {
                bytes.insert(1, b' ');
            }
        });
    }
}
