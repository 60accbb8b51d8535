"""The clock of a replay: real time at every speed, over and over, and where it is told to go."""

import numpy as np
import pytest

from softstride.errors import InputError
from softstride.viewer import Player

TIME = 2.0 + np.arange(101) / 100.0


def test_it_keeps_real_time_at_every_speed() -> None:
    for speed in (0.1, 1.0, 2.0):
        player = Player(TIME, speed)
        player.toggle()
        for _ in range(10):
            player.tick(0.02)
        assert player.instant == pytest.approx(2.0 + 0.2 * speed)
        assert player.frame == round(20 * speed)


def test_it_starts_again_past_the_end() -> None:
    player = Player(TIME)
    player.toggle()
    player.tick(1.3)
    assert player.instant == pytest.approx(2.3)


def test_it_stands_still_until_it_plays() -> None:
    player = Player(TIME)
    assert not player.tick(0.5) and player.instant == 2.0
    assert player.toggle() and player.tick(0.5) and not player.toggle()
    assert not player.tick(0.5)


def test_play_at_the_end_starts_over() -> None:
    player = Player(TIME)
    player.seek(99.0)
    assert player.frame == 100 and player.toggle() and player.instant == 2.0


def test_steps_pause_and_stay_inside() -> None:
    player = Player(TIME)
    player.toggle()
    player.step(10)
    assert (player.frame, player.playing) == (10, False)
    player.step(-99)
    assert player.frame == 0
    player.step(999)
    assert player.frame == 100


def test_the_frame_is_the_nearest_of_uneven_instants() -> None:
    player = Player(np.array([0.0, 0.1, 0.5, 1.0]))
    for instant, frame in ((0.04, 0), (0.06, 1), (0.29, 1), (0.31, 2), (0.76, 3)):
        player.seek(instant)
        assert player.frame == frame


def test_other_instants_keep_the_clock_inside() -> None:
    player = Player(TIME)
    player.seek(2.9)
    player.set_time(TIME[:51])
    assert player.instant == 2.5 and player.stop == 2.5


def test_one_frame_does_not_play() -> None:
    player = Player(np.array([1.0]))
    assert not player.toggle() and not player.tick(1.0) and player.frame == 0


def test_no_number_moves_nothing() -> None:
    player = Player(TIME)
    player.seek(float("nan"))
    assert player.instant == 2.0


@pytest.mark.parametrize("speed", [0.0, -1.0, float("nan"), float("inf")])
def test_a_speed_that_is_none_is_refused(speed: float) -> None:
    with pytest.raises(InputError, match="speed must be a positive number"):
        Player(TIME, speed)
