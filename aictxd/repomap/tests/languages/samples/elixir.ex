defmodule App.Shape do
  @moduledoc """
  A shape. More.
  """
  use GenServer
  import App.Helper, only: [help: 1]
  alias App.{One, Two}
  require Logger

  @limit 10
  @type t :: %__MODULE__{}
  @callback draw(t) :: :ok
  defstruct [:a, :b]

  @doc "Makes it. More."
  @spec new(integer) :: t
  def new(size) when is_integer(size) do
    fn -> 1 end
  end
  def new(_), do: nil

  @doc false
  defp hidden(x), do: x

  defmacro shout(x) do
    quote do: x
  end
  defguard is_small(x) when x < 3
  defdelegate size(x), to: Map

  defmodule Nested do
    def deep, do: 1
  end
end

defprotocol App.Drawable do
  def draw(x)
end
defimpl App.Drawable, for: App.Shape do
  def draw(x), do: x
end
defmodule App.ShapeTest do
  use ExUnit.Case
  describe "new" do
    test "makes it", %{a: a} do
      assert true
    end
  end
end
