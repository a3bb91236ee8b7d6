"""Files: sessions, presets and exported stages. Knows core and assets; no Qt, no engine, no splitting."""
