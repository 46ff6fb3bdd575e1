"""Which pads a function gets: profiles in files, candidates that the tuner tries, the machine they are good for."""
