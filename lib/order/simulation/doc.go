// Package simulation holds tests only: it follows hooks through every short sequence of deploys, ends of Jobs and kills of
// kapp, and checks after each what a hook must never do. There is no cluster: kapp's own diff, rebase and graph packages decide
// (package order), on streams that this program rendered.
//
// An event takes kapp as far as it gets without another: until it waits for a hook, fails or has done everything. So a
// sequence of six events is several deploys long. Sequences that lead to the same are followed once.
package simulation
