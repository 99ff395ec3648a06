# Every target runs with the toolchain that go.mod names, also where the
# environment says GOTOOLCHAIN=local and an older go is installed.
export GOTOOLCHAIN := $(shell awk '$$1 == "toolchain" { print $$2 }' go.mod)

# A program with the race detector waits a second when it ends, for races of goroutines that
# still run. The tests check that none does, and a second for each package, and for each
# process that a test starts, is minutes in all.
export GORACE ?= atexit_sleep_ms=0

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

GO     ?= go
GOFMT   = $$($(GO) env GOROOT)/bin/gofmt
# The packages that hold state shared between goroutines: these are tested with forced yields
# between their atomic steps (internal/chaos), in full without the race detector unless they are WATCHED, and shortened
# with it (internal/testkit/racetest.Iterations, Steps). The others are tested with the race detector
# as they are. What takes longest comes first, and is run while others are compiled: netreactor, which mostly waits.
CORE    = $(addsuffix /...,./netreactor ./proofs/stages ./operators ./internal ./proofs/chainfuzz ./proofs/marbles ./schedulers ./executors ./sinks ./adapt ./keylock ./reactortest)
# Of these, what plays on a virtual clock, on one goroutine, for which the race detector is compiled in vain (the
# threads of chainfuzz do not run with it).
PLAYED  = $(addsuffix /...,./proofs/marbles ./proofs/chainfuzz)
# Tests in the other packages of CORE that do so too: a minute with the race detector.
SCENES  = ^(TestScenarios|TestEveryOwnerIsTold)$$
# Those of CORE that take long to compile. make test runs them with forced yields and the race detector; test-unwatched
# runs them with forced yields alone, where races are repeated more often.
WATCHED = $(addsuffix /...,./adapt ./operators ./reactortest/tck)
# Tools that read or compile source on one goroutine: the race detector has nothing to find
# there, and makes them slow. (It watches proofs/stages where there are forced yields, too; what proofs/books and vectors run is
# watched elsewhere.)
SINGLE  = /proofs/(apilist|archtest|books|buildcost|inlining|mutants|vectors)(/|$$)
# The packages that SINGLE matches, those that are neither of CORE nor of these, and those of CORE that are not WATCHED.
single  = $$($(GO) list ./... | grep -E '$(SINGLE)')
raced   = $$($(GO) list ./... | grep -vxF "$$($(GO) list $(CORE))" | grep -vE '$(SINGLE)')
yielded = $$($(GO) list $(CORE) | grep -vxF "$$($(GO) list $(WATCHED))")
# The modules without the race detector: what it would watch in benchmarks is tested elsewhere.
SINGLE_MODULES = cmd/reactorvet benchmarks
# The sources of every module in this repository.
SOURCES = git ls-files --cached --others --exclude-standard '*.go'
# The nested modules, by their folders: every go.mod below the root, except test data. They
# are vetted, linted, kept tidy and tested like the rest. MODULES='interop/fsnotify' is for
# one of them.
MODULES = $(patsubst %/go.mod,%,$(shell git ls-files --cached --others --exclude-standard '*/go.mod' | grep -v /testdata/))
# How long the tests of one nested module may take.
MODULE_TIMEOUT ?= 5m
# The program that go.mod pins, to be run in folders of other modules, and built without what they are built with.
STATICCHECK = $$(GOFLAGS="$${GOFLAGS% -race}" $(GO) -C $(CURDIR) tool -n staticcheck)

# in_modules runs a shell command in the folder of each nested module, in the build of its tests, and fails at the end
# if it failed in one.
in_modules = @status=0; for module in $(MODULES); do \
	case " $(SINGLE_MODULES) " in *" $$module "*) race=;; *) race=" -race";; esac; \
	echo "in $$module:"; (cd "$$module" && export GOFLAGS="$$GOFLAGS$$race" && $(1)) || status=1; done; exit $$status

ARGS    ?=
DIR     ?= proofs/vectors/testdata
COUNT   ?= 50
PROFILE ?= cover.out
# What proofs/stages races every stage with: ROUNDS times 40 meetings of each pair of
# signals, with forced yields on one processor, where they alone decide who runs; as many
# processes as there are processors share the stages. With the race detector, and on
# threads, there are fewer meetings.
ROUNDS  ?= 50
# The same for make stress: 5000 times 40 are 200,000 meetings of each pair. PAIRS is
# the regular expression of those to run: PAIRS='TestRaces/^flatMap$$/^next-cancel$$'.
STRESS_ROUNDS ?= 5000
PAIRS         ?= TestRaces
# How many random chains make stress runs on real schedulers, four times: with and without
# refusals, with and without forced yields.
CHAINS  ?= 250000
# How many random trees make books runs.
BOOKS   ?= 250000
# How many random servers make stress-net runs.
SERVERS ?= 20000
# SEED repeats the random choices of make stress.
SEED    ?=
SEEDS    = $(if $(SEED),REACTOR_RACE_SEED=$(SEED) REACTOR_CHAOS_SEED=$(SEED) REACTOR_CHAIN_SEED=$(SEED) REACTOR_BOOKS_SEED=$(SEED) REACTOR_SERVERS_SEED=$(SEED))

# races runs those of $(2) with $(1) times the usual number of meetings. Each part is one
# process; the collector of garbage is let wait, because a round leaves little behind. What it has not got to on one
# busy processor, virtual clocks above all, may not fill the machine.
PROCESSORS = $(shell getconf _NPROCESSORS_ONLN)
races = seq $(PROCESSORS) | xargs -P $(PROCESSORS) -I{} \
	env $(SEEDS) GOGC=400 GOMEMLIMIT=2GiB REACTOR_RACE_PART={}/$(PROCESSORS) REACTOR_RACE_ITERATIONS=$(1) \
	$(GO) test -vet=off -timeout 0 -tags chaos -cpu 1 -run '$(2)' ./proofs/stages

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: ## run the demonstration: statistics of the Go files below a folder; ARGS=… are its arguments
	$(GO) run ./examples/srcstats $(ARGS)

.PHONY: demo-jobs
demo-jobs: ## run jobs and overloaded pools, with a live table; ARGS=… are its arguments
	$(GO) run ./examples/jobs $(ARGS)

.PHONY: demo-locks
demo-locks: ## let three processes move money under shared locks, stop one and kill one; ARGS=… are its arguments
	cd examples/locks && $(GO) run . $(ARGS)

.PHONY: demo-feed
demo-feed: ## serve events to browsers, with a page that shows them live; ARGS=… are its arguments
	$(GO) run ./examples/feed $(ARGS)

.PHONY: demo-etl
demo-etl: ## copy from an HTTP service that fails at random into SQLite; ARGS=… are its arguments
	cd examples/etl && $(GO) run . $(ARGS)

# Without what go vet finds: make vet has looked at all packages, once.
TEST = $(GO) test -vet=off -shuffle=on

# One target per pass, so that make -k goes on with the others when one has failed; they
# follow each other also under make -j.
PASSES = test-race test-single test-yields test-race-yields test-pairs test-modules test-allocations

.PHONY: test
test: $(PASSES) ## run all tests with the race detector in random order, the core again with forced yields

.PHONY: $(PASSES)
.NOTPARALLEL:
test-race:
	$(TEST) -race $(raced)
test-single:
	$(TEST) $(single)
test-yields:
	$(TEST) -tags chaos $(yielded)
test-race-yields:
	$(TEST) -race -tags chaos -skip '$(SCENES)' $(filter-out $(PLAYED),$(CORE))
test-pairs:
	$(call races,$(ROUNDS),TestRaces)
# Short: the tests with processes of their own are those of test-connectors. As many modules at a time as there are
# processors, for some wait; what one says is shown at its end.
test-modules: ## run the tests of the nested modules with the race detector; MODULES=… for some
	@printf '%s\n' $(MODULES) | xargs -P $(PROCESSORS) -I{} sh -c 'race=-race; case " $(SINGLE_MODULES) " in *" {} "*) race=;; esac; \
		said=$$(cd {} && $(TEST) $$race -parallel 8 -short -timeout $(MODULE_TIMEOUT) ./... 2>&1); status=$$?; printf "in %s:\n%s\n" {} "$$said"; exit $$status'

# With the race detector pools forget at random, so that those of test-modules do not count, and forced yields count timers.
test-allocations: ## compare the allocations of every row of the benchmarks with benchmarks/allocations.txt
	cd benchmarks && $(GO) test -vet=off -run TestAllocations .
	$(TEST) -run TestCallAllocations ./keylock

.PHONY: test-unwatched
test-unwatched: ## run the tests of WATCHED with forced yields, in full, without the race detector
	$(TEST) -tags chaos $(WATCHED)

.PHONY: smoke-net
# NEED are clients that must be installed; the others run if they are.
NEED ?= redis-cli,redis-benchmark,wrk,nc
smoke-net: ## let clients that others have written talk to the network examples, each once
	$(GO) run ./examples/internal/smoke -need $(NEED)

# What fuzz-net runs, each for FUZZTIME: as many at a time as there are processors. The corpora
# are in testdata/fuzz of the packages; fuzz-corpus adds to them what the last runs have found.
FUZZTIME ?= 30s
FUZZERS   = FuzzCommands:examples/kv/resp FuzzRequests:examples/web/http1 FuzzFramings:netreactor FuzzRoundTrip:netreactor
each_fuzzer = printf '%s\n' $(FUZZERS) | xargs -P $(1) -I{} sh -c 'f={}; name=$${f%%:*}; package=$${f\#*:}; $(2)'

.PHONY: fuzz-net fuzz-corpus
fuzz-net: ## fuzz frames, RESP and HTTP for FUZZTIME each
	@$(call each_fuzzer,1,$(GO) test -vet=off -run "^$$" -fuzz "^$$name$$" -fuzztime 1x "./$$package" >/dev/null)
	$(call each_fuzzer,$(PROCESSORS),$(GO) test -vet=off -run "^$$" -fuzz "^$$name$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s -parallel 1 "./$$package")
fuzz-corpus: ## keep what fuzz-net has found to be of interest
	@$(call each_fuzzer,1,mkdir -p "$$package/testdata/fuzz/$$name" && \
		cp -n "$$($(GO) env GOCACHE)/fuzz/github.com/goreactor/reactor/$$package/$$name/"* "$$package/testdata/fuzz/$$name/")

.PHONY: stress-net
stress-net: ## shut servers down under load 1000 times, take their descriptors for 10 s, storm them with 10000 peers, run SERVERS random ones; SEED=… repeats
	REACTOR_STRESS=1 $(GO) test -count=1 -timeout 0 -v -run 'TestStress|TestNoDescriptorsLeft' ./netreactor
	$(SEEDS) REACTOR_SERVERS=$(SERVERS) $(GO) test -count=1 -timeout 0 -tags chaos -run 'TestServers$$' ./netreactor

# What the tests of the connectors do how often. The servers of the tests elect a leader after
# one to two seconds instead of four to nine, so that killing 20 takes less than two minutes.
PAUSES       ?= 100
CUTS         ?= 200
KILLS        ?= 10
HANDOVERS    ?= 200
LEADER_KILLS ?= 20
CONNECTORS    = ITEST_PAUSES=$(PAUSES) ITEST_CUTS=$(CUTS) ITEST_KILLS=$(KILLS) ITEST_HANDOVERS=$(HANDOVERS) \
	ITEST_LEADER_KILLS=$(LEADER_KILLS)

.PHONY: test-connectors
test-connectors: ## test connectors against servers: processes killed and stopped, connections cut; PAUSES, CUTS, KILLS, LEADER_KILLS
	cd connectors/nats && $(GO) test -vet=off -count=1 ./...
	cd connectors/nats/itest && $(CONNECTORS) $(GO) test -vet=off -count=1 -timeout 10m -parallel 8 -v \
		-run 'TestK12|TestKill|TestStop|TestHandOver|TestServer|TestCut' .

# The browser of test-browser: Chromium, or one with the same arguments.
BROWSER ?= chromium

.PHONY: test-browser
test-browser: ## let a browser read server-sent events through lost connections; BROWSER=… is the one
	FEED_BROWSER=$(BROWSER) $(GO) test -count=1 -v -run TestBrowser ./examples/feed

.PHONY: test-short
test-short: ## run the quick tests without the race detector
	$(GO) test -short ./...

.PHONY: check
check: fmt-check vet vet-mistakes vet-cross lint tidy-check rules mutants-compile test test-unwatched test-connectors ## run everything that a change must pass

.PHONY: check-fast
check-fast: fmt-check vet lint tidy-check rules ## run what a change must pass, without the tests

.PHONY: fmt
fmt: ## format all Go files
	@$(SOURCES) | xargs -r $(GOFMT) -l -w

.PHONY: fmt-check
fmt-check: ## fail if a Go file is not formatted
	@files=$$($(SOURCES) | xargs -r $(GOFMT) -l); \
	if [ -n "$$files" ]; then printf 'not formatted (make fmt):\n%s\n' "$$files"; exit 1; fi

# What looks at the source does so in the build in which the tests of a package run: what it has to compile is what
# they need, too. looked_at runs $(1) so, with $(2) of the packages that are not in CORE; two packages have other
# sources without forced yields.
OTHERWISE = ./internal/chaos ./internal/live
looked_at = GOFLAGS="$$GOFLAGS -tags=chaos" $(1) $(yielded) && \
	GOFLAGS="$$GOFLAGS -race -tags=chaos" $(1) $(WATCHED) && \
	GOFLAGS="$$GOFLAGS -race" $(1) $(2) && \
	$(1) $(single) $(OTHERWISE)

# The analyzers of go vet and those of cmd/reactorvet in one program, built for this run: what both need of all that is
# imported, they read once. The latter are to find those of examples/mistakes, which has a test for that, and none elsewhere.
VETTOOL = $(CURDIR)/bin/vet
.PHONY: vet
vet: ## look for mistakes of Go, and in the use of streams, with go vet and cmd/reactorvet, in all modules
	$(GO) -C cmd/reactorvet build -o $(VETTOOL) ./internal/both
	$(call looked_at,$(GO) vet -vettool=$(VETTOOL),$$(printf '%s\n' $(raced) | grep -v /examples/mistakes))
	$(call in_modules,$(GO) vet -vettool=$(VETTOOL) ./...)

.PHONY: vet-mistakes
vet-mistakes: ## run go vet on examples/mistakes, which is wrong in other ways
	$(GO) vet ./examples/mistakes

# Where netreactor has other sources than on this system; adapt has the same everywhere, which have to compile there.
# The examples and what is below benchmarks are for this one.
SYSTEMS = darwin/arm64 windows/amd64 freebsd/amd64 linux/arm64 linux/mips64

.PHONY: vet-cross
vet-cross: ## compile and vet netreactor and adapt for other systems, SYSTEMS=… are which, and everything for 32 bits
	@for s in $(SYSTEMS); do echo "vet for $$s:"; \
		GOOS=$${s%/*} GOARCH=$${s#*/} CGO_ENABLED=0 $(GO) vet ./netreactor/... ./adapt/... || exit 1; done
	@echo 'vet for 32 bits:'
	@GOARCH=386 CGO_ENABLED=0 $(GO) vet ./...

# Programs for other processors and systems run with Debian's qemu-user-static and wine. qemu-user lets a load overtake a store of the
# same goroutine where there are several processors, which no processor of these does behind an atomic store, so it gets one.
# It runs no program that a program starts, and none for 386. Wine has no unix sockets, closes a connection that shall be reset the
# orderly way, and keeps folders of files that were open.
EMULATED      ?= arm64/aarch64
WITH_QEMU     ?= ./internal/goid ./executors ./schedulers ./keylock ./sinks ./netreactor
NOT_EMULATED  := TestNoDescriptorsLeft|TestServers
NOT_WITH_WINE := TestUnixSockets|TestAddresses|TestServers|TestAResetThatNobodyReads|TestRSTWhilePaused|TestACutCanBeTold|TestAnAbortCanBeTold|TestAResetInAMessage|TestAResetBehind|TestAnAnswerThatIsCut|TestRefusedByAListenerOfTLS|TestACutOfTLS|TestBadOptions|TestNothingLeftToDo|TestCloseDuringAPass|TestCloseDropsWhatIsUnread|ExampleNetwork
WITH_WINE     := ./executors/... ./schedulers ./keylock ./sinks ./operators ./flux ./mono ./adapt/sse ./adapt/slogstream ./netreactor

.PHONY: test-emulated
test-emulated: ## run tests for another processor with qemu-user, EMULATED="arm/arm riscv64/riscv64" for instance
	@for e in $(EMULATED); do echo "test for $${e%/*}:"; \
		GOARCH=$${e%/*} CGO_ENABLED=0 $(GO) test -short -vet=off -timeout 30m -exec "taskset -c 0 qemu-$${e#*/}-static" -skip '$(NOT_EMULATED)' $(WITH_QEMU) || exit 1; done

.PHONY: test-32
test-32: ## run the tests of all packages but proofs for 32 bits, on a processor that can do both
	GOARCH=386 CGO_ENABLED=0 $(GO) test -timeout 30m $$($(GO) list ./... | grep -v /proofs/)

.PHONY: test-windows
test-windows: ## run tests for Windows with Wine, which has to know bcryptprimitives.dll: 9 or later, or 8 with one
	GOOS=windows CGO_ENABLED=0 WINEDEBUG=-all $(GO) test -timeout 20m -exec wine -skip '$(NOT_WITH_WINE)' $(WITH_WINE)

.PHONY: lint
lint: ## run staticcheck, in the version that go.mod pins
	$(call looked_at,$(STATICCHECK),$(raced))
	$(call in_modules,$(STATICCHECK) ./...)

.PHONY: tidy-check
tidy-check: ## fail if go mod tidy would change something
	$(GO) mod tidy -diff
	$(call in_modules,$(GO) mod tidy -diff)

.PHONY: rules
rules: api-check ## check import directions, house rules (proofs/archtest) and the listing of the API
	$(GO) test ./proofs/archtest

.PHONY: docs
docs: ## write the index of operators, docs/operators.md, and the pages of patterns, docs/patterns
	$(GO) run ./proofs/opindex
	cd examples/patterns && $(GO) test -count=1 . -args -write

.PHONY: api
api: ## write the exported API of every public package to api/, one line per declaration
	$(GO) run ./proofs/apilist

.PHONY: api-check
api-check: ## show what has changed in the exported API since api/ was written, and fail if something has
	$(GO) run ./proofs/apilist -check

.PHONY: vectors
vectors: ## run the golden vectors in a folder: make vectors DIR=…
	$(GO) run ./proofs/vectors/cmd/vectors -dir $(DIR)

# Reactor itself, for the targets below: where it records, and how many programs of which seed.
ORIGINAL = proofs/vectors/jvm/target/original.jar
PROGRAMS ?= 20000
RANDOM   = $(if $(SEED),$(SEED),1)

$(ORIGINAL): proofs/vectors/jvm/pom.xml $(wildcard proofs/vectors/jvm/src/main/java/*.java)
	@command -v $(JAVA) >/dev/null && command -v $(MVN) >/dev/null || { echo "this needs java and mvn"; exit 1; }
	$(MVN) -q -B -f proofs/vectors/jvm/pom.xml package

.PHONY: vectors-original
vectors-original: $(ORIGINAL) ## have Project Reactor run the golden vectors in DIR, whether it still does what they say; needs java and mvn
	$(JAVA) -jar $(ORIGINAL) check $(DIR)

.PHONY: vectors-random
vectors-random: $(ORIGINAL) ## run PROGRAMS random programs here and with Project Reactor, and show where the semantics differ; SEED=…; needs java and mvn
	rm -rf $(ORIGINAL:.jar=-random) && mkdir $(ORIGINAL:.jar=-random)
	@$(JAVA) -jar $(ORIGINAL) random '$(PROGRAMS)' '$(RANDOM)' $(ORIGINAL:.jar=-random)/random.jsonl 2>$(ORIGINAL:.jar=-random)/said || \
		{ grep -m 1 '^Exception' $(ORIGINAL:.jar=-random)/said || tail -n 1 $(ORIGINAL:.jar=-random)/said; exit 1; }
	-$(GO) run ./proofs/vectors/cmd/vectors -tier1 -dir $(ORIGINAL:.jar=-random) | tail -1
	$(GO) run ./proofs/vectors/cmd/shrink -dir $(ORIGINAL:.jar=-random) -original '$(JAVA) -jar $(ORIGINAL)'

.PHONY: stress-races
stress-races: ## race pairs of signals STRESS_ROUNDS × 40 times each; PAIRS=… for some, SEED=… repeats
	$(call races,$(STRESS_ROUNDS),$(PAIRS))

.PHONY: stress
stress: stress-races ## run the core's tests COUNT times with the race detector and forced yields, then the large ones once; SEED=… repeats
	$(SEEDS) REACTOR_CHAIN_STEPS=100000000 $(GO) test -timeout 0 -v -run TestChains ./proofs/chainfuzz
	$(SEEDS) $(GO) test -shuffle=on -count=$(COUNT) -timeout 0 -tags chaos $(WATCHED)
	$(SEEDS) $(GO) test -race -shuffle=on -count=$(COUNT) -timeout 0 -tags chaos $(CORE)
	$(SEEDS) REACTOR_CHAINS=$(CHAINS) $(GO) test -timeout 0 -v -run TestThreads ./proofs/chainfuzz
	$(SEEDS) REACTOR_CHAINS=$(CHAINS) $(GO) test -timeout 0 -v -tags chaos -run TestThreads ./proofs/chainfuzz
	REACTOR_STRESS=1 $(GO) test -race -timeout 0 -tags chaos -run Stress ./executors ./schedulers ./netreactor

# Not in stress: it finds something in one of a million trees or so still.
.PHONY: books
books: ## run BOOKS random trees, and as many narrow ones, with books of what becomes of elements, errors and resources; SEED=… repeats
	$(SEEDS) REACTOR_BOOKS=$(BOOKS) $(GO) test -timeout 0 -v -run 'Test(Narrow)?Books$$' ./proofs/books

# How often two calls for a lock meet in make stress-locks.
MEETINGS ?= 200000

.PHONY: stress-locks
stress-locks: ## let calls for keyed locks meet MEETINGS times, and a crowd of 1000 on 1000 keys; SEED=… repeats
	$(SEEDS) REACTOR_STRESS_MEETINGS=$(MEETINGS) $(GO) test -timeout 0 -tags chaos -v -run 'TestMeetings' ./keylock
	$(SEEDS) REACTOR_STRESS=1 $(GO) test -race -timeout 0 -tags chaos -v -run 'TestStress' ./keylock

.PHONY: bench
bench: ## measure this library beside what a Go programmer would write, quickly; ARGS=… go to benchmarks/cmd/compare
	cd benchmarks && $(GO) run ./cmd/compare -rounds 5 -time 50ms -foreign 1 $(ARGS)

# Project Reactor on a JVM, if there is one with Maven.
JAVA     ?= java
MVN      ?= mvn
JVM_BENCH = benchmarks/jvm/target/bench.jar
JVM       = $(if $(shell command -v $(JAVA)),$(if $(shell command -v $(MVN)),-jvm '$(JAVA) -Xms1g -Xmx1g -jar jvm/target/bench.jar'))

$(JVM_BENCH): benchmarks/jvm/pom.xml $(wildcard benchmarks/jvm/src/main/java/*.java)
	$(MVN) -q -B -f benchmarks/jvm/pom.xml package
	@touch $@

.PHONY: bench-peers
bench-peers: $(if $(JVM),$(JVM_BENCH)) ## measure all competitors and write benchmarks/RESULTS.md with its picture; Reactor on a JVM too if there is Maven
	$(if $(JVM),,@echo "no java or no mvn: without Project Reactor")
	cd benchmarks && $(GO) run ./cmd/compare -peers -rounds 9 $(JVM) -out RESULTS.md -chart results.svg $(ARGS)

.PHONY: bench-operators
bench-operators: $(if $(JVM),$(JVM_BENCH)) ## measure each operator by itself, beside Reactor on a JVM if there is Maven, and write benchmarks/OPERATORS.md
	$(if $(JVM),,@echo "no java or no mvn: without Project Reactor")
	cd benchmarks && $(GO) run ./cmd/compare -operators -rounds 5 $(JVM) -out OPERATORS.md $(ARGS)

.PHONY: bench-targets
bench-targets: $(if $(JVM),$(JVM_BENCH)) ## print a line for each target of the benchmarks: ok or short
	$(if $(JVM),,@echo "no java or no mvn: without Project Reactor")
	cd benchmarks && $(GO) run ./cmd/compare -peers -rounds 5 -targets $(JVM) $(ARGS)

.PHONY: bench-jvm
bench-jvm: ## measure this library and Project Reactor on a JVM; needs java and mvn
	@command -v $(JAVA) >/dev/null && command -v $(MVN) >/dev/null || { echo "bench-jvm needs java and mvn"; exit 1; }
	$(MAKE) $(JVM_BENCH)
	cd benchmarks && $(GO) run ./cmd/compare -rounds 5 $(JVM) $(ARGS)

.PHONY: bench-grow
bench-grow: ## measure what grows with the number of subscribers, slots, sources, inner streams, keys; fails above a bound
	cd benchmarks && $(GO) run ./cmd/grow -strict $(ARGS)

.PHONY: bench-guard
bench-guard: ## compare allocations and instructions of the rows with what was recorded; ARGS=-write records them
	cd benchmarks && $(GO) run ./cmd/guard $(ARGS)

# How long make soak takes.
SOAK ?= 30m

.PHONY: soak
soak: ## run 10,000 pipelines for SOAK and look whether anything grows: ok or short; ARGS=… go to benchmarks/cmd/soak
	cd benchmarks && $(GO) run ./cmd/soak -for $(SOAK) $(ARGS)

.PHONY: bench-locks
bench-locks: ## measure keyed locks beside what one writes by hand: ok or short; ARGS=… go to benchmarks/cmd/locks
	cd benchmarks && $(GO) run ./cmd/locks $(ARGS)

.PHONY: bench-adapters
bench-adapters: ## measure each adapter beside the plain loop over the same package: ok or short; ARGS=… go to benchmarks/cmd/adapters
	cd benchmarks && $(GO) run ./cmd/adapters $(ARGS)

# What make bench-net is: NET_ROUNDS rounds of the kinds NET_ONLY, none of them begun that would
# end after NET_BUDGET. NET_RESULTS is replaced at the end if everything was measured.
NET_ROUNDS  ?= 5
NET_ONLY    ?= resp,http,frame,slow,block,client,held,flood,idle
NET_BUDGET  ?= 30m
NET_RESULTS ?= RESULTS.md

.PHONY: bench-net
bench-net: ## measure network engines beside each other with clients of others: ok or short; NET_ROUNDS, NET_ONLY, NET_BUDGET
	cd benchmarks/net && $(GO) run ./cmd/bench-net -rounds $(NET_ROUNDS) -only $(NET_ONLY) -budget $(NET_BUDGET) -o $(NET_RESULTS) $(ARGS)

.PHONY: build-cost
build-cost: ## measure what generic methods cost a program to build; fails above the limits
	$(GO) run ./proofs/buildcost $(ARGS)

.PHONY: mutants
mutants: ## break the library in small ways, one at a time: do the tests notice? ARGS='-only regexp' for some
	$(GO) run ./proofs/mutants $(ARGS)

.PHONY: mutants-compile
mutants-compile: ## see whether all ways of breaking the library still compile
	$(GO) run ./proofs/mutants -compile

.PHONY: cover
cover: ## measure coverage over all packages and print the total; the profile is in PROFILE
	$(GO) test -short -coverpkg=./... -coverprofile=$(PROFILE) ./...
	$(GO) tool cover -func=$(PROFILE) | tail -n 1
