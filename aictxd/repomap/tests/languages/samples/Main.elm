module Main exposing (main)
import Html
type alias Model = { a : Int }
type Msg = Go
-- Runs.
update : Msg -> Model -> Model
update msg model = model
