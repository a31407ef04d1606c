"""What messengers are called on the wire."""

from typing import Literal

Name = Literal["whatsapp", "telegram", "slack"]
