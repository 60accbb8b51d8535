"""Numbers that cannot be those of a body in metres and kilograms are refused by name."""

import re

import pytest
from tests.model.osim.documents import document

from softstride.errors import ModelError
from softstride.model.formats.osim import parse_osim

PERSON = "walk_gait2354/subject01_simbody.osim"


def scaled(text, tag, factor):
    """Multiply every number in elements of this tag."""

    def by(match):
        return match[1] + " ".join(repr(factor * float(x)) for x in match[2].split()) + match[3]

    return re.sub(rf"(<{tag}>)([^<]+)(</{tag}>)", by, text)


@pytest.fixture(scope="module")
def person(shared_data):
    return (shared_data / PERSON).read_text()


def test_an_adult_of_seven_kilograms(person):
    with pytest.raises(
        ModelError, match=r"^model\.osim: this person weighs 7\.\d+ kg on thighs of 0\.4541 m"
    ):
        parse_osim(scaled(person, "mass", 0.1).encode())
    with pytest.raises(ModelError, match=r"in Python, by load_model\(file, plausible=False\)$"):
        parse_osim(scaled(person, "mass", 0.1).encode())
    assert parse_osim(scaled(person, "mass", 0.1).encode(), plausible=False).mass == pytest.approx(
        7.26, abs=0.1
    )


def test_an_adult_of_23_kilograms(person):
    """72.6 kg in the file: 23 kg is refused and 27 kg, very thin, is not."""
    with pytest.raises(ModelError, match=r"weighs 23 kg on thighs .* adult, who weighs 25 kg at least"):
        parse_osim(scaled(person, "mass", 23.0 / 72.6).encode())
    assert parse_osim(scaled(person, "mass", 27.0 / 72.6).encode()).mass == pytest.approx(27.0)


def test_an_adult_in_grams(person):
    with pytest.raises(ModelError, match=r"weighs 7.*e\+04 kg, body 'torso' alone"):
        parse_osim(scaled(person, "mass", 1000.0).encode())


def test_a_femur_of_three_kilometres(person):
    with pytest.raises(
        ModelError, match=r"body 'tibia_r' is .* m away from 'femur_r'|body 'femur_r' is .* m away"
    ):
        parse_osim(scaled(person, "translation", 1000.0).encode())
    long = document("PinJoint", 40500).replace("0.1 -0.2 0.3", "0.1 -3000 0.3")
    with pytest.raises(
        ModelError, match=r"body 'lower' is .* m away from 'upper'|body 'upper' is .* m away from 'world'"
    ):
        parse_osim(long.encode())


def test_a_centre_of_mass_far_away():
    with pytest.raises(ModelError, match="centre of mass of body 'upper' is 200 m"):
        parse_osim(
            document("PinJoint", 40500)
            .replace("0.1 0.2 -0.1</mass_center>", "0 200 0</mass_center>")
            .encode()
        )


def test_part_of_a_body_may_weigh_little(shared_data):
    text = (shared_data / "muscle_arm26/arm26.osim").read_text()
    assert parse_osim(scaled(text, "mass", 0.1).encode()).mass == pytest.approx(0.34, abs=0.01)
