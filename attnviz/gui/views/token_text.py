"""Where ``Labels`` lay before gui/labels.py; goes once nobody imports it from here."""

from attnviz.gui.labels import Labels, is_upright

__all__ = ["Labels", "is_upright"]
