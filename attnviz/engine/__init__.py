"""Engines: what computes Stages for a Request. They stand on core and know no text, file or window."""
