"""Numbers and sentences that several pages show: cached verbs, assessments, recommendation."""
