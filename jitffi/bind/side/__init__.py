"""Side files, which say what a header does not: read, applied to what is declared, and proposed."""
