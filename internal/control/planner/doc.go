// Package planner makes a task into a plan: it reads the open task, has an agent program write the plan and checks it,
// and analyzes a plan against the repository.
package planner
