package profiles

// Layer names one of the layers that speak about a call (spec section 1).
type Layer string

// The layers, in the order of spec section 1.
const (
	LayerIntegrity     Layer = "integrity"
	LayerPermission    Layer = "permission-profile"
	LayerOperating     Layer = "operating-mode"
	LayerProtected     Layer = "protected-path"
	LayerBlock         Layer = "session-block"
	LayerMode          Layer = "mode"
	LayerPath          Layer = "path"
	LayerExternal      Layer = "external-directory"
	LayerProject       Layer = "project"
	LayerHardGate      Layer = "hard-gate"
	LayerRegistry      Layer = "tool-registry"
	LayerUnresolved    Layer = "unresolved"
	LayerInput         Layer = "input" // the call's input cannot be read
	LayerManagedPolicy Layer = "managed"
	LayerConfig        Layer = "config"  // a configuration file is broken
	LayerDenied        Layer = "denied"  // the target was refused before (P10)
	LayerSandbox       Layer = "sandbox" // containment is missing
	LayerDelegate      Layer = "delegate"
	LayerBase          Layer = "base-policy"
)

// Origin says what kind of rule an Opinion comes from. It decides what may
// answer an Ask: the approval mode auto answers only OriginDefault and
// OriginCatchAll (spec section 1).
type Origin string

// The kinds of rules.
const (
	OriginDefault    Origin = "default"    // the surface has no rule, or a bare action
	OriginCatchAll   Origin = "catch-all"  // the pattern "*"
	OriginPattern    Origin = "pattern"    // any other pattern
	OriginProject    Origin = "project"    // the project's overlay
	OriginHardGate   Origin = "hard-gate"  // the hard-gate table
	OriginEscape     Origin = "escape"     // a path outside, or more privilege (B7)
	OriginUnresolved Origin = "unresolved" // something is not known (B11)
	OriginFixed      Origin = "fixed"      // a layer that no setting relaxes
)

// Opinion is what one layer says of one part of a call.
type Opinion struct {
	Layer  Layer  `json:"layer"`
	Action Action `json:"action"`
	Origin Origin `json:"origin"`
	// Surface is the surface whose rule speaks, "" for a layer without rules.
	Surface Surface `json:"surface,omitempty"`
	// Rule is the rule's id, or the pattern as written.
	Rule string `json:"rule"`
	// File and Line say where the rule is written; empty and 0 for one that
	// is built in.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Target is what the rule was matched against: a path, a command, a name.
	Target string `json:"target,omitempty"`
	// Name is the key of a session grant where it is narrower than the
	// surface: the command's name for bash, the directory for a path outside.
	Name string `json:"name,omitempty"`
	// Reason is one sentence for a person.
	Reason string `json:"reason"`
	// Model is the text for the model where a rule brings its own (P2).
	Model string `json:"model,omitempty"`
	// Safer is what could be done instead (B10).
	Safer string `json:"safer,omitempty"`
	// Code is the error code of a Deny; "" means CodeDenied (H12).
	Code ErrorCode `json:"code,omitempty"`
	// Start and End are the part of the command line meant; both 0 for none.
	Start int `json:"start,omitempty"`
	End   int `json:"end,omitempty"`
}

// Verdict is the judgement of one call: the strictest action of all opinions,
// which it keeps for explain (N2).
type Verdict struct {
	action   Action
	winner   int // index into opinions; meaningless when there are none
	opinions []Opinion
}

// Action is the strictest action of all opinions; Allow when there are none.
func (v *Verdict) Action() Action { return v.action }

// Opinions are all opinions in the order they were added.
func (v *Verdict) Opinions() []Opinion { return v.opinions }

// Winner is the first of the strictest opinions; nil when there are none.
func (v *Verdict) Winner() *Opinion {
	if len(v.opinions) == 0 {
		return nil
	}
	return &v.opinions[v.winner]
}

// Add adds one layer's opinion. A verdict can only become stricter: there is
// no way to take an opinion back or to lower the action.
func (v *Verdict) Add(o Opinion) {
	v.opinions = append(v.opinions, o)
	if len(v.opinions) == 1 || o.Action > v.action {
		v.winner = len(v.opinions) - 1
	}
	v.action = Stricter(v.action, o.Action)
}
