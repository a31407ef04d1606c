"""Which revisions of the schema there are: the baseline, which `schema` makes, and the files of `versions` after it."""

from pathlib import Path
from typing import Final, NamedTuple

FOLDER: Final = Path(__file__).parent
BASELINE: Final = "0083"
"""What `schema` is. A database at this revision or a later one is migrated; an earlier one is refused."""
_OUTSIDE: Final = "-- outside a transaction"


class Revision(NamedTuple):
    """A file of `versions`: `.sql`, or `.py` with `async def run(db)` for what SQL cannot do."""

    number: str
    path: Path

    @property
    def name(self) -> str:
        """Number and words, as in `0084_index_posts`."""
        return self.path.stem

    def is_outside(self) -> bool:
        """Whether it runs outside a transaction, and so may stop on its way."""
        return self.path.suffix == ".py" or self.script().startswith(_OUTSIDE)

    def script(self) -> str:
        """Return its SQL."""
        return self.path.read_text(encoding="utf-8")


def all_revisions(folder: Path = FOLDER) -> list[Revision]:
    """Return the revisions after the baseline, oldest first."""
    paths = sorted((folder / "versions").glob("[0-9]*_*.*"))
    return [Revision(path.name.partition("_")[0], path) for path in paths if path.suffix in {".sql", ".py"}]


def baseline_script(folder: Path = FOLDER) -> str:
    r"""Return the SQL of the baseline: the files that `schema/all.sql` includes by `\ir`, as psql would."""
    lines = (folder / "schema" / "all.sql").read_text(encoding="utf-8").splitlines()
    names = [line.removeprefix(r"\ir ") for line in lines if line.startswith(r"\ir ")]
    return "\n".join((folder / "schema" / name).read_text(encoding="utf-8") for name in names)


HEAD: Final = max([BASELINE, *(revision.number for revision in all_revisions())])
"""The newest revision of this program."""
