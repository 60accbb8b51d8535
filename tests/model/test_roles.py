"""Links of packaged models have one role by their names, or none."""

import pytest
from tests.models import the_model

from softstride.model import roles
from softstride.naming import words_of


@pytest.mark.parametrize("name", ["human", "gait", "athlete"])
def test_a_leg_is_found_once_on_each_side(name: str) -> None:
    links = the_model(name).link_names
    for words in (roles.THIGH, roles.SHANK):
        assert len([link for link in links if words_of(link) & words]) == 2
    assert not any(words_of(link) & roles.SHANK and words_of(link) & roles.NO_SHANK for link in links)


def test_what_bears_is_a_foot_or_stands_for_one() -> None:
    assert set(roles.BEARING) == roles.FOOT | {"blade", "toes"} and len(set(roles.BEARING)) == len(
        roles.BEARING
    )
    assert roles.NO_SHANK.isdisjoint(roles.SHANK)
