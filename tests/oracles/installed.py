"""OpenSim, when it is first asked: who opens its stored answers needs no installation of it."""

import importlib


class Later:
    """A module that is imported with the first of its names."""

    def __getattr__(self, name):
        module = importlib.import_module("opensim")
        module.Logger.setLevelString("off")
        self.__dict__.update(vars(module))
        return getattr(module, name)


osim = Later()
