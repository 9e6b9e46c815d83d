"""P2's membership inference attack (Table S1), repeated with the control that it lacks."""
