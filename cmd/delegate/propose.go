package main

// defaultPlanFile is where `delegate plan` writes.
const defaultPlanFile = "delegate-plan.md"
