echo I looked and did nothing.
