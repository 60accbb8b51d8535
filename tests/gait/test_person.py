"""Any person as a walker, and the body of Table A1 from the table that it was made with."""

from dataclasses import fields

import numpy as np
import pytest

from softstride import engine
from softstride.errors import ModelError
from softstride.gait import Body, body_from_lengths, walker_model

ROUNDED = 6e-4  # Table A1 prints three decimals


def test_table_a1_follows_from_its_lengths():
    """Masses, centres and inertias of Table A1 are those of Winter's table at its lengths, to the digits printed."""
    table = Body()
    made = body_from_lengths(
        79.94,
        thigh=0.400,
        shank=0.435,
        hat=0.519,
        ankle=(0.079488, 0.115246),
        sole=0.280754,
        foot=0.1955,
        gravity=9.807,
    )
    for each in fields(Body):
        expected = getattr(table, each.name)
        assert getattr(made, each.name) == pytest.approx(expected, abs=ROUNDED, rel=1e-3), each.name


@pytest.mark.parametrize(
    ("mass", "height", "sex"), [(70.0, 1.75, "male"), (55.0, 1.60, "female"), (110.0, 2.0, "male")]
)
def test_people(mass, height, sex):
    body = Body.from_person(mass, height, sex)
    assert body.mass == pytest.approx(mass)
    assert 0.48 * height < body.heel_ankle * np.sin(body.heel_angle) + body.shank + body.thigh < 0.54 * height
    assert 0.14 * height < body.sole < 0.16 * height
    model = walker_model(body)
    assert model.mass == pytest.approx(mass)
    centre = engine.centre_of_mass(model, np.zeros((1, model.nq)))[0]
    floor = -(body.shank + body.thigh + body.heel_ankle * np.sin(body.heel_angle))
    assert 0.52 * height < centre[1] - floor < 0.60 * height
    taller = Body.from_person(mass, 1.1 * height, sex)
    assert taller.thigh == pytest.approx(1.1 * body.thigh) and taller.hat_mass == pytest.approx(body.hat_mass)
    assert taller.thigh_inertia == pytest.approx(1.21 * body.thigh_inertia)


def test_a_consistent_foot_is_nearly_that_of_the_table():
    body, table = Body().with_consistent_foot(), Body()
    for each in fields(Body):
        assert getattr(body, each.name) == pytest.approx(getattr(table, each.name), abs=7e-4)
    toe = body.heel_ankle * np.exp(1j * body.heel_angle) - 2 * body.toe_centre * np.exp(1j * body.toe_angle)
    assert abs(toe - body.sole) < 1e-15
    centre = body.heel_centre * np.exp(1j * body.centre_angle)
    assert abs(centre - toe - body.toe_centre * np.exp(1j * body.toe_angle)) < 1e-15
    person = Body.from_person(70.0, 1.75)
    for each in fields(Body):
        again = person.with_consistent_foot()
        assert getattr(again, each.name) == pytest.approx(getattr(person, each.name), abs=1e-12)


def test_nobody():
    with pytest.raises(ModelError, match="height of a person must be between"):
        Body.from_person(70.0, 175.0)
    with pytest.raises(ModelError, match="sex of a person"):
        Body.from_person(70.0, 1.75, "other")
    with pytest.raises(ModelError, match="behind the toe"):
        body_from_lengths(70.0, thigh=0.4, shank=0.4, hat=0.5, ankle=(0.3, 0.1), sole=0.25, foot=0.2)
    with pytest.raises(
        ModelError, match=r"hat_mass of a body must be a number above 0 \[kg\], however it is 0"
    ):
        Body(hat_mass=0.0)
    with pytest.raises(ModelError, match="phases are numbered from 1 to 4"):
        Body().coefficients(5)
