"""What several test files share: C's side of a call, adapters of any pair, comparison by bits."""
