from typing import Annotated

from msgspec import UNSET, Meta, UnsetType, field

from signalpost.comments.schemas import Comment, Tags
from signalpost.comments.states import Hiding, RuleAction, RuleErrorCode
from signalpost.events import Actor
from signalpost.kit import ids
from signalpost.kit.wire import Input, Instant, Output
from signalpost.web.fields import CommentId, CommentRuleId, MemberId, Name, PlatformSlug, ProfileId

CONDITIONS_MAX = 50
Word = Annotated[str, Meta(min_length=1, max_length=50, pattern=r"\S")]
WordList = Annotated[list[Word], Meta(max_length=CONDITIONS_MAX)]
Author = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"[^\s@]")]
Authors = Annotated[list[Author], Meta(max_length=CONDITIONS_MAX)]
Profiles = Annotated[list[ProfileId], Meta(min_length=1, max_length=CONDITIONS_MAX)]
Platforms = Annotated[list[PlatformSlug], Meta(min_length=1, max_length=CONDITIONS_MAX)]

_NAME = Meta(description="What people call it.", examples=["Spam"])
_WORDS = Meta(
    description="The text has one of these, as whole words, without regard to capitals. Empty: any text.",
    examples=[["free followers", "casino"]],
)
_AUTHORS = Meta(
    description="It was written by one of these usernames (by one of these names, where a network shows no usernames)."
    " Empty: by anyone.",
    examples=[["spambot.example.com"]],
)
_PROFILES = Meta(description="Under posts of these profiles; null: of all.", examples=[None])
_PLATFORMS = Meta(description="On these networks; null: on all.", examples=[None])
_HIDE = Meta(description="Hide it from others at its network, where that can be done.", examples=[False])
_DONE = Meta(description="Mark it as done, so that it is not in the inbox.", examples=[True])
_ASSIGNEE = Meta(
    description="The member who takes care of it, where the member sees the profile and no other rule assigned it.",
    examples=[None],
)
_TAGS = Meta(description="Tags that it gets.", examples=[["spam"]])


class CommentRuleCreate(Input):
    """What is done with each new comment that meets all conditions. Has `words` or `authors`, and something to do."""

    name: Annotated[Name, _NAME]
    words: Annotated[WordList, _WORDS] = field(default_factory=list)
    authors: Annotated[Authors, _AUTHORS] = field(default_factory=list)
    profile_ids: Annotated[Profiles | None, _PROFILES] = None
    platforms: Annotated[Platforms | None, _PLATFORMS] = None
    hide: Annotated[bool, _HIDE] = False
    done: Annotated[bool, _DONE] = False
    assignee_id: Annotated[MemberId | None, _ASSIGNEE] = None
    tags: Annotated[Tags, _TAGS] = field(default_factory=list)
    enabled: Annotated[bool, Meta(description="Whether it acts.", examples=[True])] = True


class CommentRuleUpdate(Input):
    """Any subset of the fields. Whoever changes a rule answers for it from then on."""

    name: Annotated[Name | UnsetType, _NAME] = UNSET
    words: Annotated[WordList | UnsetType, _WORDS] = UNSET
    authors: Annotated[Authors | UnsetType, _AUTHORS] = UNSET
    profile_ids: Annotated[Profiles | UnsetType | None, _PROFILES] = UNSET
    platforms: Annotated[Platforms | UnsetType | None, _PLATFORMS] = UNSET
    hide: Annotated[bool | UnsetType, _HIDE] = UNSET
    done: Annotated[bool | UnsetType, _DONE] = UNSET
    assignee_id: Annotated[MemberId | UnsetType | None, _ASSIGNEE] = UNSET
    tags: Annotated[Tags | UnsetType, _TAGS] = UNSET
    enabled: Annotated[bool | UnsetType, Meta(description="Whether it acts.", examples=[True])] = UNSET


class CommentRuleListQuery(Input):
    """Which to list."""

    profile_id: Annotated[ProfileId | None, Meta(description="Those that act on comments of this profile.")] = None


class CommentRuleUseListQuery(Input):
    """Which uses to list."""

    rule_id: Annotated[CommentRuleId | None, Meta(description="Only those of this rule.")] = None
    comment_id: Annotated[CommentId | None, Meta(description="Only those on this comment.")] = None


class CommentRule(Output):
    """What is done with each new comment that meets all conditions."""

    id: str
    name: Annotated[str, Meta(examples=["Spam"])]
    enabled: Annotated[bool, Meta(examples=[True])]
    held: Annotated[
        bool,
        Meta(
            description="It was switched off, because whoever answered for it left or may no longer do this. Whoever"
            " enables it answers for it.",
            examples=[False],
        ),
    ]
    words: Annotated[list[str], Meta(examples=[["free followers", "casino"]])]
    authors: Annotated[list[str], Meta(examples=[[]])]
    profile_ids: Annotated[list[str] | None, Meta(description="null: all.", examples=[None])]
    platforms: Annotated[list[str] | None, Meta(description="null: all.", examples=[None])]
    hide: bool
    done: bool
    assignee_id: Annotated[str | None, Meta(examples=[None])]
    tags: Annotated[list[str], Meta(examples=[["spam"]])]
    created_by: Annotated[Actor, Meta(description="Who answers for it: made it, or changed it last.")]
    created_at: Instant
    updated_at: Instant


class CommentRulePreview(Output):
    """What a rule would have done in the last 30 days. Nothing was done."""

    matched: Annotated[int, Meta(description="How many of the comments that were looked at meet it.", examples=[3])]
    looked_at: Annotated[int, Meta(description="How many comments were looked at, the newest first.", examples=[412])]
    since: Annotated[Instant, Meta(description="Until which time in the past all comments were looked at.")]
    complete: Annotated[bool, Meta(description="Whether that is all 30 days.", examples=[True])]
    comments: Annotated[list[Comment], Meta(description="The newest of them, at most 10.")]


class CommentRuleUseError(Output):
    """Why something was not done."""

    code: Annotated[RuleErrorCode, Meta(examples=["comment_action_unavailable"])]
    message: str


class CommentRuleUse(Output):
    """What a rule did with a comment."""

    id: Annotated[str, Meta(examples=[ids.example("cru")])]
    rule_id: Annotated[str, Meta(description="The rule may be deleted since.", examples=[ids.example("crl")])]
    rule_name: Annotated[str, Meta(description="As it was called then.", examples=["Spam"])]
    comment_id: Annotated[str, Meta(examples=[ids.example("cmt")])]
    actions: Annotated[list[RuleAction], Meta(description="What it did.", examples=[["tag", "done"]])]
    hiding: Annotated[
        Hiding | None, Meta(description="How far it is with hiding; null: the rule hides nothing.", examples=[None])
    ]
    error: Annotated[CommentRuleUseError | None, Meta(description="What it could not do.", examples=[None])]
    created_at: Instant
