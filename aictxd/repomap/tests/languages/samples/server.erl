-module(server).
-export([start/1]).
-include("defs.hrl").
-record(state, {a, b}).
-define(LIMIT, 10).
-type option() :: atom().

%% Starts it.
start(Name) when is_atom(Name) ->
    loop(Name);
start(_) ->
    error.

loop(State) ->
    receive
        {stop, X} -> ok
    end.
