package main

func ignoreHangup() {}

func canSuspend() bool { return false }
