"""Views show Stages; they never ask for a change of the inputs and never write."""
