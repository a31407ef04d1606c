"""The revisions after the baseline, one file each: `0084_verb_noun.sql`. See "Add a migration" in CONTRIBUTING.md."""
