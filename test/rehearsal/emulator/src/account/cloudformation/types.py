"""What the types of resources have in common."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event
from typing import Any, ClassVar

from botocore import xform_name
from botocore.model import ListShape, MapShape, Shape, StructureShape

from account.clients import client

Properties = dict[str, Any]


class WaitError(Exception):
    """The reason of a failed wait condition, in the words of CloudFormation."""


class CancelledError(WaitError):
    """The creation of a resource ends before it is ready. The resource exists, and must be deleted."""

    def __init__(self, reason: str, physical_id: str):
        super().__init__(reason)
        self.physical_id = physical_id


class CannotUpdateError(Exception):
    """A change that the emulator does not make; the real service may."""


@dataclass(frozen=True)
class Asked:
    """The order for one resource, with functions evaluated and secrets resolved."""

    logical_id: str
    stack_name: str
    stack_id: str
    generated_name: str
    """The name that CloudFormation generates if the template has none."""
    properties: Properties
    unresolved: Properties
    """The same properties, with references to secrets unresolved."""
    stopping: Event
    """Set if the stack must be deleted while it is still being made."""
    failed: Event = field(default_factory=Event)
    """Set if another of its resources has failed."""

    @property
    def is_ending(self) -> bool:
        return self.stopping.is_set() or self.failed.is_set()


@dataclass
class Made:
    physical_id: str
    attributes: dict[str, Any] = field(default_factory=dict)
    final_snapshot: bool = False
    """Whether its deletion leaves a snapshot, according to the DeletionPolicy of the template."""


class ResourceType(ABC):
    """One type of resource, made by calls to its service as CloudFormation makes it."""

    name: ClassVar[str]
    known: ClassVar[dict[str, type["ResourceType"]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" in cls.__dict__:
            ResourceType.known[cls.name] = cls

    @abstractmethod
    def create(self, asked: Asked) -> Made: ...

    @abstractmethod
    def delete(self, made: Made, properties: Properties) -> None: ...

    def update(self, asked: Asked, made: Made, before: Properties) -> Made:
        """Changes in place. Does nothing if only tags differ: nobody reads the tags after an update."""
        changed = changed_properties(asked, before) - {"Tags"}
        if changed:
            raise CannotUpdateError(f"The emulator cannot change {', '.join(sorted(changed))} of {self.name}")
        return made


def changed_properties(asked: Asked, before: Properties) -> set[str]:
    after = asked.unresolved
    return {key for key in after.keys() | before.keys() if after.get(key) != before.get(key)}


def arguments(service: str, operation: str, values: Properties, **renamed: str) -> dict[str, Any]:
    """Properties as arguments of an API call, cast to the types of its shape as CloudFormation casts them.

    :param renamed: names of properties that are called differently in the API
    :raises ValueError: for a property that the call does not have
    """
    api = client(service)
    shape = api.meta.service_model.operation_model(operation).input_shape
    cast: dict[str, Any] = _cast({renamed.get(key, key): value for key, value in values.items()}, shape)
    return cast


def call(service: str, operation: str, values: Properties, **renamed: str) -> dict[str, Any]:
    method = getattr(client(service), xform_name(operation))
    result: dict[str, Any] = method(**arguments(service, operation, values, **renamed))
    return result


_scalars: dict[str, Callable[[Any], Any]] = {
    "boolean": lambda value: str(value).lower() == "true",
    "integer": int,
    "long": int,
    "string": str,
}


def _cast(value: Any, shape: Shape) -> Any:
    if isinstance(shape, StructureShape):
        unknown = value.keys() - shape.members.keys()
        if unknown:
            raise ValueError(f"Encountered unsupported property {', '.join(sorted(unknown))}")
        return {key: _cast(item, shape.members[key]) for key, item in value.items()}
    if isinstance(shape, ListShape):
        return [_cast(item, shape.member) for item in value]
    if isinstance(shape, MapShape):
        return {key: _cast(item, shape.value) for key, item in value.items()}
    convert = _scalars.get(shape.type_name)
    return convert(value) if convert else value


def specified_tags(properties: Properties, *kinds: str) -> dict[str, Any]:
    """Tags in the form that EC2 accepts at a creation, for resources of these kinds."""
    tags = properties.get("Tags")
    return {"TagSpecifications": [{"ResourceType": kind, "Tags": tags} for kind in kinds]} if tags else {}


def without(properties: Properties, *names: str) -> Properties:
    return {key: value for key, value in properties.items() if key not in names}
