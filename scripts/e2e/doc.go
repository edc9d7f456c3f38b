// Package e2e holds the end-to-end scenarios: real pi, every release that
// pi-guard is tested with, a scripted model, and a person who follows a
// script, in print mode, in RPC mode and in the terminal.
//
// A scenario is a file below testdata that reads like a session. The folder
// says how pi is started:
//
//	print   pi -p: nobody can be asked
//	rpc     pi --mode rpc: dialogs are records
//	tui     pi in a tmux pane: dialogs are what stands on the screen
//	dialog  each scenario twice, in RPC mode and in the terminal
//
// Beside the commands of testscript (exec, exists, grep, cmp, stdout, …) a
// scenario has these. The file named model in the archive is the model's
// script (see package scripted). Commands that wait give up after a minute.
//
//	pi ARGS…            start pi; in print mode also wait for its end, so that
//	                    stdout and stderr can be looked at. ! pi: it fails
//	say TEXT            the person types TEXT and sends it
//	see REGEXP          wait until the person sees it, in a dialog, a
//	                    notification, the status line. ! see: it is not there
//	choose TEXT         take the option with that TEXT in the open dialog
//	enter TEXT          answer the open dialog with TEXT
//	dismiss             dismiss the open dialog
//	press KEY…          send keys as tmux names them (terminal only)
//	abort               stop the run, as Esc does
//	rpc COMMAND [JSON]  send a command of pi's RPC mode (rpc only)
//	settle              wait until the run that say began is over
//	told REGEXP         wait until the model was told that, in a message or a
//	                    tool result. ! told: it was not told so far
//	system REGEXP       the same for the system prompt
//	offered TOOL        the model was offered the tool. ! offered: it was not
//	capture NAME        the open dialog looks as docs/captures/NAME.txt says
//	                    (terminal only); go test -update writes that file
//	leave               end pi the way a person does
//	guard kill|stop|continue   send the guard process a signal
//	guard running|gone  wait until there is one guard process, or none
//	pi kill             kill pi itself
//
// Conditions: [rpc], [tui], [print], and [pi:VERSION] for one release.
// $PROJECT, the project, is where a scenario starts; $HOME is empty but for
// the model's configuration. When a scenario is over, no process that it
// started may be left.
package e2e
