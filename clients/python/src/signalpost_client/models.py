"""What the API takes and answers, as typed dictionaries: `models.PostCreate`, `models.Post`."""

from signalpost_client._generated.models import *  # noqa: F403 - all of them are offered here
